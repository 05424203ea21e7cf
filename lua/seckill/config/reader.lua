-- Limits and sales of the control Redis, read into a shared dict (values.lua
-- checks them, view.lua reads them).
--
-- In seckill_config:
-- products   those that are known
--
-- In seckill_state:
-- lost       true while seckill:limits:kept is missing

local backlog_signal = require "seckill.config.backlog_signal"
local bounds = require "seckill.config.bounds"
local complaints = require "seckill.config.complaints"
local forced = require "seckill.forced"
local known_products = require "seckill.sale.known_products"
local limits = require "seckill.config.limits"
local many_products = require "seckill.config.many_products"
local node = require "seckill.config.node"
local params = require "seckill.request.params"
local redis = require "seckill.config.redis"
local redis_keys = require "seckill.config.redis_keys"
local values = require "seckill.config.values"

local config = ngx.shared.seckill_config
local STATE = "seckill_state"
local state = ngx.shared[STATE]
local log = ngx.log

local be_content = complaints.be_content
local complain = complaints.complain

-- Changes looked at in one go; seckill:sale-changes keeps about as many.
local MAX_CHANGES = 1000

local _M = {}

-- The last change that this worker has seen.
local seen = "0"

local function say_lost(is_lost)
    if is_lost and not state:get("lost") then
        forced.set(STATE, "lost", true)
        log(ngx.WARN, "the control Redis has lost its limits; the last good"
            .. " ones stay in force until they are put back")
    elseif not is_lost and state:get("lost") then
        state:delete("lost")
        log(ngx.WARN, "the control Redis has its limits again")
    end
end

-- The product ids of the set of sales, sorted.
local function read_members(members)
    local name, products, others = redis_keys.SALES, {}, {}
    for _, member in ipairs(members) do
        local list = params.is_product(member) and products or others
        list[#list + 1] = member
    end
    table.sort(products)
    table.sort(others)
    if others[1] then
        complain(name, #others .. " that are no product, like " .. others[1],
            "passed over")
    else
        be_content(name)
    end
    return products
end

-- The known products among changes, each once.
local function changed(changes)
    local products, listed = {}, {}
    for _, change in ipairs(changes) do
        local product = change[2][2]
        if not listed[product] and config:get("sale:" .. product) then
            listed[product] = true
            products[#products + 1] = product
        end
    end
    return products
end

local function learn_sales(client, products)
    local replies, err = redis.pipeline(client, function()
        for _, product in ipairs(products) do
            values.ask_sale(client, product)
        end
    end)
    if not replies then
        return nil, err
    end
    for i, product in ipairs(products) do
        values.learn_sale(product, replies[i])
    end
    return true
end

-- Reads the sales again of which another word has come: a fraction of what
-- learn() reads, and so much more often. true, or nil and why not.
function _M.learn_changes(client)
    local changes, err = client:xrange(redis_keys.SALE_CHANGES, "(" .. seen,
        "+", "count", MAX_CHANGES)
    if not changes then
        return nil, err
    end
    local ok, products = true, changed(changes)
    if products[1] then
        ok, err = learn_sales(client, products)
    end
    if ok and many_products.is_on() then
        ok, err = many_products.learn(client, false)
    end
    if not ok then
        return nil, err
    end
    seen = changes[1] and changes[#changes][1] or seen
    return true
end

local function is_any()
    return true
end

local function learn_products(client, products)
    local ok, err = values.read(client, products, is_any)
    if not ok then
        return nil, err
    end
    values.put("products", table.concat(known_products.settle(products), ","))
    return true
end

local function learn_limits(reply, is_kept)
    for i, name in ipairs(limits.OF_NODE) do
        values.learn_limit(name, node.limits[name], reply, i, is_kept)
    end
end

-- Is all known that the control Redis lists?
_M.is_whole = many_products.is_whole

-- Reads everything and keeps what is good; of more than bounds.sales products
-- a part. true, or nil and why not.
--
-- SRANDMEMBER with a count gives the whole set when it is not larger, and
-- never more: a runaway set cannot fill this process.
function _M.learn(client)
    local replies, err = redis.pipeline(client, function()
        client:get(redis_keys.LIMITS_KEPT)
        client:hmget(redis_keys.LIMITS, unpack(limits.OF_NODE))
        client:get(redis_keys.BACKLOG)
        if not many_products.is_on() then
            client:srandmember(redis_keys.SALES, bounds.sales + 1)
        end
        client:get(redis_keys.LIMITS_KEPT)
    end)
    if not replies then
        return nil, err
    end
    learn_limits(replies[2], values.are_kept(replies))
    backlog_signal.learn(replies[3])
    say_lost(type(replies[#replies]) ~= "string")
    local members = not many_products.is_on() and replies[4]
    if members and members[1] == false then
        learn_products(client, known_products.with_sale())
        return nil, redis_keys.SALES .. ": " .. tostring(members[2])
    elseif members and #members <= bounds.sales then
        return learn_products(client, read_members(members))
    elseif members then
        many_products.start()
    end
    return many_products.learn(client, true)
end

return _M
