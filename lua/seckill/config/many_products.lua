-- Reads more products than fit into every poll: those that the control Redis
-- says have changed (hints.lua) at the next turn of the poller, and in turn
-- all, a few in each turn (turns.lua), so that nothing depends on a hint. The
-- set of sales is read likewise, page by page (sales_set.lua).
--
-- What may be lost: with a connection, its hints; so after each new one all
-- are read once, quickly. Where no hints come (Redis refuses them), more are
-- read in each turn for as long. A poll or turn that failed is followed by such
-- a round, too. What is here is the polling worker's own: another that takes
-- over begins with nothing and reads all.
--
-- In seckill_state:
-- hints    "ok", or why no hints come; gone HINTS_SECONDS after it was said

local bounds = require "seckill.config.bounds"
local complaints = require "seckill.config.complaints"
local hints = require "seckill.config.hints"
local known_products = require "seckill.sale.known_products"
local listed = require "seckill.config.listed"
local redis_keys = require "seckill.config.redis_keys"
local sales = require "seckill.sale.sale"
local sales_set = require "seckill.config.sales_set"
local turns = require "seckill.config.turns"
local values = require "seckill.config.values"

local state = ngx.shared.seckill_state

local HINTS_SECONDS = 5

local _M = {}

local is_on = false

function _M.is_on()
    return is_on
end

-- Is all that the set lists known, as far as it can be?
function _M.is_whole()
    return not is_on or sales_set.is_whole()
end

function _M.start()
    is_on = true
    listed.take(known_products.with_sale(), {})
    turns.start()
    sales_set.start()
end

local function product_of(key, prefix)
    return key:sub(1, #prefix) == prefix and key:sub(#prefix + 1)
end

-- A key that has changed; nil: any may have. A sale's key that is none of a
-- known one may be that of a new one.
local function hear(key)
    if not key or key == redis_keys.LIMITS_KEPT then
        turns.catch_up()
        return sales_set.hear()
    end
    local of_limit = product_of(key, redis_keys.PRODUCT_LIMITS)
    local product = of_limit or product_of(key, redis_keys.SALE)
    if listed.is_known[product] then
        turns.hear(product)
    elseif not of_limit and key ~= redis_keys.LIMITS then
        sales_set.hear()
    end
end

-- Of strangers only those that are sales join, while there is room. Of the
-- others nothing is said where there are too many, for there each page has new
-- ones; nor in the first round, when that is not known.
local function may_join(product, sale)
    if listed.is_known[product] then
        return true
    elseif #listed.products >= bounds.products then
        return false
    end
    local is_good, field = sales.parse(sale)
    if not is_good then
        if sales_set.is_settled() then
            complaints.complain(redis_keys.SALE .. product, "this " .. field,
                "passed over")
        end
        return false
    end
    listed.add(product)
    return true
end

local function read_products(client, strangers)
    local list, count = turns.next(), #listed.products
    for _, product in ipairs(strangers) do
        list[#list + 1] = product
    end
    local ok, err = values.read(client, list, may_join)
    if ok and #listed.products > count then
        listed.publish()
    end
    return ok, err
end

-- Known products are read also where the set cannot be.
local function go_on(client, is_poll)
    local strangers, trouble = {}, nil
    if is_poll or sales_set.is_urgent() then
        strangers, trouble = sales_set.read_page(client)
    end
    local ok, err = read_products(client, strangers or {})
    if not ok or trouble then
        return nil, err or trouble
    end
    is_on = not sales_set.go_on()
    return true
end

-- In each poll and, is_poll being false, in each turn between two. true, or
-- nil and why not.
function _M.learn(client, is_poll)
    hints.keep(hear)
    local trouble = hints.trouble()
    if is_poll then
        state:safe_set("hints", trouble or "ok", HINTS_SECONDS)
    end
    local ok, err = go_on(client, is_poll)
    if not ok then
        turns.catch_up()
        sales_set.begin_again()
    end
    return ok, err
end

return _M
