-- The public facts of the sales as JSON. A synthetic sale is in no list; who
-- knows its id is told of it.

local cjson = require "cjson"
local sales = require "seckill.sale.sale"
local sold_out = require "seckill.sale.sold_out"
local view = require "seckill.config.view"

-- The list costs most and changes seldom: made this often per worker, and of
-- many sales not all the time.
local KEEP_SECONDS = 0.1
local KEEP_SECONDS_PER_SALE = 0.0001

local list, list_at, keep_seconds = nil, 0, KEEP_SECONDS
local making_at = 0  -- since when a request makes it; 0: none does

local MAKING_SECONDS = 1  -- then another request may: that one is lost

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

-- Kept with the sale, which is another table after each change.
local function json_of(sale)
    local is_sold_out = sold_out.is(sale)
    if not sale.json or sale.json_sold_out ~= is_sold_out then
        sale.json, sale.json_sold_out = cjson.encode(facts(sale)), is_sold_out
    end
    return sale.json
end

-- Joined by hand: an empty Lua table would become an object.
local function make_list()
    local items = {}
    view.each_sale(function(sale)
        if not sale.synthetic then
            items[#items + 1] = json_of(sale)
        end
    end)
    return "[" .. table.concat(items, ",") .. "]", #items
end

local function is_due(now)
    return not list or math.abs(now - list_at) >= keep_seconds
        and math.abs(now - making_at) >= MAKING_SECONDS
end

-- While one request makes the list, which may take some turns of nginx's loop,
-- others are told the one before.
function _M.all(now)
    if is_due(now) then
        making_at = now
        local made, count = make_list()
        list, list_at, making_at = made, now, 0
        keep_seconds = math.max(KEEP_SECONDS, KEEP_SECONDS_PER_SALE * count)
    end
    return ('{"serverTime":"%s","sales":%s}')
        :format(sales.iso(now * 1000), list)
end

return _M
