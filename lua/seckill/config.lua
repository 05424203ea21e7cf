-- Limits and sales of the control Redis, checked and put into the shared dict
-- (view.lua reads it). Whatever is wrong leaves the last good value in force
-- and is logged once per change.
--
-- limit:NAME, sale:PRODUCT, products    the last good values
-- bad:NAME           what was refused
-- gone:PRODUCT       since when (seconds) it is no longer listed
-- version, errors    changes taken over, values refused

local limits = require "seckill.limits"
local node = require "seckill.node"
local params = require "seckill.params"
local redis = require "seckill.redis"
local sales = require "seckill.sale"
local view = require "seckill.view"

local config = ngx.shared.seckill_config
local log = ngx.log

local LINGER_SECONDS = 60

local _M = {}

local function put(key, value)
    if config:get(key) == value then
        return
    end
    local ok, err = config:safe_set(key, value)
    if not ok then
        log(ngx.ERR, "no room for ", key, ": ", err,
            "; enlarge seckill_config in nginx.conf.template")
    end
    config:incr("version", 1, 0)
end

local function complain(name, wrong, kept)
    local text = tostring(wrong):sub(1, 64):gsub("[^%w%p ]", "?")
    if config:get("bad:" .. name) == text then
        return
    end
    config:safe_set("bad:" .. name, text)
    config:incr("errors", 1, 0)
    log(ngx.WARN, name, ": not allowed: ", text, "; ", kept)
end

local function be_content(name)
    if config:get("bad:" .. name) then
        config:delete("bad:" .. name)
        log(ngx.WARN, name, " is good again")
    end
end

-- reply: of HMGET with one field; not a table of one text when the key has
-- the wrong type.
local function learn_limit(name, row, reply)
    local written = reply[1]
    if written == ngx.null then
        written = nil
    end
    local value = limits.read(row, written)
    if value then
        be_content(name)
    else
        value = config:get("limit:" .. name) or row.default
        complain(name, written, value .. " stays in force")
    end
    put("limit:" .. name, value)
end

local function learn_sale(product, values)
    local name = "seckill:sale:" .. product
    local sale, field = sales.parse(values)
    if sale and sale.product == product then
        be_content(name)
        put("sale:" .. product, sales.pack(values))
    else
        complain(name, "this " .. (field or "product_id"),
            "the sale stays as it was")
    end
end

-- Sorted product ids; one that is no id is passed over.
local function products_of(members)
    local products = {}
    for _, member in ipairs(members) do
        if params.is_product(tostring(member)) then
            products[#products + 1] = member
        else
            complain("seckill:sales", member, "this member is passed over")
        end
    end
    table.sort(products)
    return products
end

-- Does a sale that is no longer listed stay for now? The control Redis may
-- have lost everything; stock-service then puts back what is there.
local function lingers(product)
    local name = "gone:" .. product
    local since = config:get(name)
    if not since then
        since = ngx.now()
        config:safe_set(name, since)
    end
    local seconds = ngx.now() - since
    return seconds >= 0 and seconds < LINGER_SECONDS
end

local function forget(product)
    config:delete("sale:" .. product)
    config:delete("limit:" .. product .. ".qps")
    config:delete("gone:" .. product)
end

-- The listed products and those that linger; the others are forgotten.
local function settle(products)
    local listed, kept = {}, {}
    for i, product in ipairs(products) do
        listed[product] = true
        kept[i] = product
        config:delete("gone:" .. product)
    end
    for product in (config:get("products") or ""):gmatch("%d+") do
        if not listed[product] and lingers(product) then
            kept[#kept + 1] = product
        elseif not listed[product] then
            forget(product)
        end
    end
    table.sort(kept)
    return kept
end

local function learn_products(client, products)
    local replies, err = redis.pipeline(client, function()
        client:ping()  -- a pipeline is never empty
        for _, product in ipairs(products) do
            client:hmget("seckill:sale:" .. product, unpack(sales.FIELDS))
            client:hmget("seckill:limits:product:" .. product, "qps")
        end
    end)
    if not replies then
        return nil, err
    end
    for i, product in ipairs(products) do
        learn_limit(product .. ".qps", node.limits.qps, replies[2 * i + 1])
        learn_sale(product, replies[2 * i])
    end
    put("products", table.concat(settle(products), ","))
    return true
end

-- Reads everything and keeps what is good. true, or nil and why not.
--
-- SRANDMEMBER with a count gives the whole set when it is not larger, and
-- never more: a runaway set cannot fill this process.
function _M.learn(client)
    local replies, err = redis.pipeline(client, function()
        client:hmget("seckill:limits", "edge.global_qps")
        client:srandmember("seckill:sales", view.MAX_SALES + 1)
    end)
    if not replies then
        return nil, err
    end
    local members = replies[2]
    if members[1] == false then
        return nil, "seckill:sales: " .. tostring(members[2])
    end
    if #members > view.MAX_SALES then
        return nil, "seckill:sales: more than " .. view.MAX_SALES .. " sales"
    end
    learn_limit("edge.global_qps", node.limits["edge.global_qps"],
        replies[1])
    return learn_products(client, products_of(members))
end

return _M
