-- The products of the polling worker where there are too many for every poll:
-- those that the set of sales lists, and those that linger though it no longer
-- does, of which nothing is read. No other worker has them; what all are told
-- is the list in seckill_config.

local values = require "seckill.config.values"

-- products: those that are listed, in no order; is_known: the same as a set.
-- lingering: a set.
local _M = {}

-- These are listed, and of the known ones these linger.
function _M.take(products, lingering)
    local is_known = {}
    for _, product in ipairs(products) do
        is_known[product] = true
    end
    _M.products, _M.is_known, _M.lingering = products, is_known, {}
    for _, product in ipairs(lingering) do
        if not is_known[product] then
            _M.lingering[product] = true
        end
    end
end

function _M.add(product)
    local products = _M.products
    products[#products + 1] = product
    _M.is_known[product], _M.lingering[product] = true, nil
end

-- Tells all workers.
function _M.publish()
    local list = {}
    for i, product in ipairs(_M.products) do
        list[i] = product
    end
    for product in pairs(_M.lingering) do
        list[#list + 1] = product
    end
    table.sort(list)
    values.put("products", table.concat(list, ","))
end

return _M
