-- Is nothing left of this sale? The control Redis says so lastingly; an
-- answer of a service is believed for a moment, since units may return.
--
-- PRODUCT:EPOCHS   a flag, gone after BELIEVED_SECONDS. A late word about
--   older epochs closes nothing, for they are in the key, and with them the
--   stock's version as it was before the attempt was sent: units that came
--   since have made it another. A full dict marks nothing: the shards are
--   asked and say it again.

local view = require "seckill.config.view"

local flags = ngx.shared.seckill_sold_out

local BELIEVED_SECONDS = 1

local _M = {}

local function key(product, epochs)
    return product .. ":" .. epochs
end

function _M.is(sale)
    if sale.sold_out then
        return true
    end
    local flag = sale.flag
    if not flag then  -- made once for each sale that a worker has parsed
        flag = key(sale.product, sale.epochs)
        sale.flag = flag
    end
    if sale.flagged_at ~= view.at then  -- once per turn of nginx's loop
        sale.flagged, sale.flagged_at = flags:get(flag) == true, view.at
    end
    return sale.flagged
end

-- epochs: of the sale whose answer it was.
function _M.mark(product, epochs)
    flags:safe_set(key(product, epochs), true, BELIEVED_SECONDS)
    local sale = view.sale(product)
    if sale then
        sale.flagged_at = nil
    end
end

return _M
