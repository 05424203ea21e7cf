-- What this worker knows of limits and sales: the poller's shared dict, each
-- sale parsed once per change. Equal texts are one string in LuaJIT, so to
-- see that nothing has changed costs a lookup and a pointer compare.

local lrucache = require "resty.lrucache"
local node = require "seckill.node"
local sales = require "seckill.sale"

local config = ngx.shared.seckill_config
local counters = ngx.shared.seckill_counters

-- An answer "nothing left" is believed this long at most, since units may
-- return; the poller brings the lasting word.
local SOLD_OUT_SECONDS = 1

local parsed = assert(lrucache.new(node.max_sales))

local _M = {}

-- False until the control Redis has been read once.
function _M.loaded()
    return config:get("loaded") == true
end

-- The limit in force, for example "edge.global_qps" or "518.qps".
function _M.limit(name)
    return config:get("limit:" .. name) or 0
end

-- The sale, or nil: there is none.
function _M.sale(product)
    local text = config:get("sale:" .. product)
    if not text then
        return nil
    end
    local entry = parsed:get(product)
    if not entry or entry.text ~= text then
        entry = { text = text, sale = sales.parse(sales.unpack(text)) }
        parsed:set(product, entry)
    end
    return entry.sale
end

-- Every sale, by product.
function _M.all()
    local list = {}
    for product in (config:get("products") or ""):gmatch("%d+") do
        list[#list + 1] = _M.sale(product)
    end
    return list
end

local function sold_out_key(product, epoch)
    return "sold_out:" .. product .. ":" .. epoch
end

function _M.sold_out(sale)
    return sale.sold_out
        or counters:get(sold_out_key(sale.product, sale.epoch)) == true
end

-- A late word about an older epoch closes nothing: the epoch is in the key.
function _M.mark_sold_out(product, epoch)
    counters:set(sold_out_key(product, epoch), true, SOLD_OUT_SECONDS)
end

return _M
