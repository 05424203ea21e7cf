-- Is nothing left of this sale? The control Redis says so lastingly; an
-- answer of a service is believed for a moment, since units may return.
--
-- sold_out:PRODUCT:EPOCH   a flag, gone after BELIEVED_SECONDS. A late word
--   about an older epoch closes nothing, for the epoch is in the key.

local counters = ngx.shared.seckill_counters

local BELIEVED_SECONDS = 1

local _M = {}

local function key(product, epoch)
    return "sold_out:" .. product .. ":" .. epoch
end

function _M.is(sale)
    return sale.sold_out
        or counters:get(key(sale.product, sale.epoch)) == true
end

function _M.mark(product, epoch)
    counters:set(key(product, epoch), true, BELIEVED_SECONDS)
end

return _M
