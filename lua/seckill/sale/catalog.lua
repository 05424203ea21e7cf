-- The public facts of the sales as JSON. A synthetic sale is in no list; who
-- knows its id is told of it.

local cjson = require "cjson"
local sales = require "seckill.sale.sale"
local sold_out = require "seckill.sale.sold_out"
local view = require "seckill.config.view"

-- The list costs most and changes seldom: encoded this often per worker.
local KEEP_SECONDS = 0.1

local list, list_at = nil, 0

local _M = {}

local function facts(sale)
    local known = sales.facts(sale)
    known.soldOut = sold_out.is(sale)
    return known
end

-- One sale and the server's time, or nil.
function _M.one(product, now)
    local sale = view.sale(product)
    if not sale then
        return nil
    end
    local known = facts(sale)
    known.serverTime = sales.iso(now * 1000)
    return cjson.encode(known)
end

-- Joined by hand: an empty Lua table would become an object.
function _M.all(now)
    if not list or math.abs(now - list_at) >= KEEP_SECONDS then
        local items = {}
        for _, sale in ipairs(view.all()) do
            if not sale.synthetic then
                items[#items + 1] = cjson.encode(facts(sale))
            end
        end
        list, list_at = "[" .. table.concat(items, ",") .. "]", now
    end
    return ('{"serverTime":"%s","sales":%s}')
        :format(sales.iso(now * 1000), list)
end

return _M
