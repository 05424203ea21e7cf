-- What this worker knows of limits and sales: the poller's shared dict, each
-- sale parsed once per change. Equal texts are one string in LuaJIT, so to
-- see that nothing has changed costs a lookup and a pointer compare.

local bounds = require "seckill.config.bounds"
local lrucache = require "resty.lrucache"
local sales = require "seckill.sale.sale"

local config = ngx.shared.seckill_config
local state = ngx.shared.seckill_state

local parsed = assert(lrucache.new(bounds.sales))

local _M = {}

-- False until the control Redis has been read once.
function _M.loaded()
    return state:get("loaded") == true
end

-- The limits in force: attempts per second of this node, of one product.
function _M.node_qps()
    return config:get("limit:edge.global_qps") or 0
end

function _M.product_qps(product)
    return config:get("limit:" .. product .. ".qps") or 0
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

return _M
