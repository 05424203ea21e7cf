-- What this worker knows of limits and sales: the poller's shared dict, read
-- once per version of it and not per request; each sale parsed once per change.
--
-- The reader raises the version after it has written. Who reads the version
-- first and then a value can only keep one that is newer than its version,
-- and looks again at the next. What is not there is not kept: clients choose
-- the products that they ask for.

local bounds = require "seckill.config.bounds"
local clock_step = require "seckill.limit.clock_step"
local limit_rules = require "seckill.config.limits"
local lrucache = require "resty.lrucache"
local node = require "seckill.config.node"
local sales = require "seckill.sale.sale"

local now = ngx.now

local config = ngx.shared.seckill_config
local state = ngx.shared.seckill_state

local ADDRESS_QPS = "edge.address_qps"
local GLOBAL_QPS = "edge.global_qps"
local MAX_AGE = "order.backlog_max_age_ms"

local BLIND = -1  -- no version

local parsed = assert(lrucache.new(bounds.products))

local version, looked_at
local sale_by_product, limits = {}, {}

-- shadow: by the name of a limiter, true while it only counts what it would
-- refuse. at: the clock. As of the last call of sale() or look().
local _M = { shadow = {}, at = 0 }

local function learn_shadow()
    for limiter, name in pairs(limit_rules.SHADOW) do
        _M.shadow[limiter] = config:get("limit:" .. name) == 1
    end
end

-- Once per reading of the clock, which nginx does once per turn of its loop.
-- What has just passed may be forgotten; then nothing may pass.
local function forget_old_version()
    local at = now()
    if at == looked_at then
        return
    end
    looked_at, _M.at = at, at
    local is_blind = clock_step.is_blind(at)
    local latest = is_blind and BLIND or state:get("version")
    if latest ~= version then
        version, sale_by_product, limits = latest, {}, {}
        limits[GLOBAL_QPS] = is_blind and 0 or nil
        learn_shadow()
    end
end
_M.look = forget_old_version

-- False until it is known what is in force.
function _M.loaded()
    return state:get("loaded") == true
end

-- unknown: what is in force as long as nobody knows.
local function limit(name, unknown)
    local value = limits[name]
    if not value then
        value = config:get("limit:" .. name) or unknown
        limits[name] = value
    end
    return value
end

-- The limits in force: attempts per second of this node, of one product that
-- sale() knows. As of the last call of sale().
function _M.node_qps()
    return limit(GLOBAL_QPS, 0)
end

function _M.product_qps(product)
    return limit(product .. ".qps", 0)
end

-- Of one address, whichever it is; its largest value is off.
function _M.address_qps()
    return limit(ADDRESS_QPS, node.limits[ADDRESS_QPS].max)
end

function _M.limits_addresses()
    return _M.address_qps() < node.limits[ADDRESS_QPS].max
end

-- How long orders may wait before order-service rejects who waited longer.
function _M.backlog_max_age_ms()
    forget_old_version()
    return limit(MAX_AGE, node.limits[MAX_AGE].default)
end

local function read_sale(product)
    local text = config:get("sale:" .. product)
    if not text then
        parsed:delete(product)
        return nil
    end
    local entry = parsed:get(product)
    if not entry or entry.text ~= text then
        entry = { text = text, sale = sales.parse(sales.unpack(text)) }
        parsed:set(product, entry)
    end
    return entry.sale
end

-- The sale, or nil: there is none.
function _M.sale(product)
    forget_old_version()
    local sale = sale_by_product[product]
    if not sale then
        sale = read_sale(product)
        sale_by_product[product] = sale
    end
    return sale
end

-- The sales that are known after one another, in order of their products. Of
-- each so many nginx serves others: a worker that meets them for the first
-- time checks them all.
local PAGE = 250
local PAUSE_SECONDS = 0.001  -- Debian's nginx serves nobody during a sleep(0)

function _M.each_sale(use)
    local count = 0
    for product in (config:get("products") or ""):gmatch("%d+") do
        local sale = _M.sale(product)
        if sale then
            use(sale)
        end
        count = count + 1
        if count % PAGE == 0 then
            ngx.sleep(PAUSE_SECONDS)
        end
    end
end

return _M
