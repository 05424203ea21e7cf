-- Which products this node knows: those listed last, and for a while those
-- that no longer are; but a synthetic one is gone with the list, for it is
-- removed.
--
-- products           read here, written by config/reader.lua and
--   config/listed.lua
-- gone:PRODUCT       since when (seconds) it is no longer listed; in
--   seckill_state

local lease = require "seckill.limit.lease"
local redis_keys = require "seckill.config.redis_keys"
local sales = require "seckill.sale.sale"

local config = ngx.shared.seckill_config
local leases = ngx.shared.seckill_leases
local state = ngx.shared.seckill_state

local LINGER_SECONDS = 60

local _M = {}

local function known()
    return (config:get("products") or ""):gmatch("%d+")
end

-- Those that there is a sale of.
function _M.with_sale()
    local list = {}
    for product in known() do
        if config:get("sale:" .. product) then
            list[#list + 1] = product
        end
    end
    return list
end

-- Does a sale that is no longer listed stay for now? The control Redis may
-- have lost everything; stock-service then puts back what is there.
local function lingers(product)
    local name = "gone:" .. product
    local since = state:get(name)
    if not since then
        local text = config:get("sale:" .. product)
        if text and sales.parse(sales.unpack(text)).synthetic then
            return false
        end
        since = ngx.now()
        state:safe_set(name, since)
    end
    local seconds = ngx.now() - since
    return seconds >= 0 and seconds < LINGER_SECONDS
end

local function forget(product)
    config:delete("sale:" .. product)
    config:delete("limit:" .. product .. ".qps")
    for _, name in ipairs { "gone:" .. product, "bad:" .. product .. ".qps",
            "bad:" .. redis_keys.SALE .. product } do
        state:delete(name)
    end
    lease.forget(leases, product)
end

-- The listed products and those that linger; the others are forgotten.
function _M.settle(products)
    local listed, kept = {}, {}
    for i, product in ipairs(products) do
        listed[product] = true
        kept[i] = product
        state:delete("gone:" .. product)
    end
    for product in known() do
        if not listed[product] and lingers(product) then
            kept[#kept + 1] = product
        elseif not listed[product] then
            forget(product)
        end
    end
    table.sort(kept)
    return kept
end

return _M
