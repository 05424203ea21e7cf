-- Reads more products than fit into every poll: those that the control Redis
-- says have changed (hints.lua) at the next turn of the poller, and in turn
-- all, a few in each turn, so that nothing depends on a hint. The set of sales
-- is read likewise, page by page.
--
-- What may be lost: with a connection, its hints; so after each new one all
-- are read once at CATCH_UP. Where no hints come (Redis refuses them), all are
-- read at UNHINTED for as long. A poll or turn that failed is followed by such
-- a round, too. What is here is the polling worker's own: another that takes
-- over begins with nothing and reads all.
--
-- In seckill_state:
-- hints    "ok", or why no hints come; gone HINTS_SECONDS after it was said

local bounds = require "seckill.config.bounds"
local complaints = require "seckill.config.complaints"
local hints = require "seckill.config.hints"
local known_products = require "seckill.sale.known_products"
local params = require "seckill.request.params"
local redis_keys = require "seckill.config.redis_keys"
local sales = require "seckill.sale.sale"
local values = require "seckill.config.values"

local state = ngx.shared.seckill_state

local SALES = redis_keys.SALES

-- Members of the set in one page, about; a page in each poll, or in each turn
-- where the set has changed.
local PAGE = 1000

-- Products in one of 40 turns a second. One costs 10 us, a turn with CATCH_UP
-- of them 5 ms. 10,000 products take less than a second at CATCH_UP, as do
-- 10,000 hints; else all are read within some 1.5 or 10 s.
local CATCH_UP, UNHINTED, HINTED = 500, 200, 25

local HINTS_SECONDS = 5

local _M = {}

-- products: those that are listed, in no order; is_known: the same as a set.
-- lingering: known ones that no longer are; nothing of them is read.
-- due: those that a hint named. unread: how many of the others are to be read
-- at CATCH_UP. at: which was read last.
local products, is_known, lingering, due, unread, at

-- The round of the set: where it is, what it has met (products as a set and
-- their number; how many others, and one), and whether it is over. Meanwhile:
-- has the set changed, so that it is read in each turn; and of the last one,
-- were there too many members, and is all known.
local round, has_changed, is_overfull, is_whole

local is_on = false

local function begin_round()
    round = { cursor = "0", seen = {}, count = 0, others = 0,
        is_urgent = has_changed and not is_overfull }
    has_changed = false
end

local function catch_up()
    unread, has_changed = #products, true
end

local function take(list)
    products, is_known = list, {}
    for _, product in ipairs(list) do
        is_known[product] = true
    end
end

local function product_of(key, prefix)
    return key:sub(1, #prefix) == prefix and key:sub(#prefix + 1)
end

-- A sale's key that is none of a known one may be that of a new one.
local function hear(key)
    if not key or key == redis_keys.LIMITS_KEPT then
        return catch_up()
    end
    local of_limit = product_of(key, redis_keys.PRODUCT_LIMITS)
    local product = of_limit or product_of(key, redis_keys.SALE)
    if is_known[product] then
        due[product] = true
    elseif not of_limit and key ~= redis_keys.LIMITS then
        has_changed = true
    end
end

function _M.is_on()
    return is_on
end

-- Is all that the set lists known, as far as it can be?
function _M.is_whole()
    return not is_on or is_whole
end

function _M.start()
    is_on, is_whole, is_overfull = true, false, false
    due, lingering, at = {}, {}, 0
    take(known_products.with_sale())
    catch_up()
    begin_round()
end

-- Of the known ones: what hints named, and then some in turn.
local function next_known()
    local list, is_listed = {}, {}
    for product in pairs(due) do
        if #list == CATCH_UP then
            break
        end
        due[product] = nil
        if is_known[product] then
            list[#list + 1] = product
            is_listed[product] = true
        end
    end
    local count = unread > 0 and CATCH_UP or hints.trouble() and UNHINTED
        or HINTED
    for _ = 1, math.min(count, #products) do
        at = at % #products + 1
        if not is_listed[products[at]] then
            list[#list + 1] = products[at]
        end
    end
    unread = math.max(0, unread - count)
    return list
end

local function put_products()
    local list = {}
    for i, product in ipairs(products) do
        list[i] = product
    end
    for product in pairs(lingering) do
        list[#list + 1] = product
    end
    table.sort(list)
    values.put("products", table.concat(list, ","))
end

-- Of strangers only those that are sales join, while there is room. Of the
-- others nothing is said where there are too many, for there each page has new
-- ones; nor in the first round, when that is not known.
local function may_join(product, sale)
    if is_known[product] then
        return true
    elseif #products >= bounds.products then
        return false
    end
    local is_good, field = sales.parse(sale)
    if not is_good then
        if is_whole and not is_overfull then
            complaints.complain(redis_keys.SALE .. product, "this " .. field,
                "passed over")
        end
        return false
    end
    products[#products + 1] = product
    is_known[product], lingering[product] = true, nil
    return true
end

local function read_products(client, strangers)
    local list, count = next_known(), #products
    for _, product in ipairs(strangers) do
        list[#list + 1] = product
    end
    local ok, err = values.read(client, list, may_join)
    if ok and #products > count then
        put_products()
    end
    return ok, err
end

-- Notes one page of the set; its products that are not known.
local function meet(members)
    local strangers = {}
    for _, member in ipairs(members) do
        if not params.is_product(member) then
            round.others, round.other = round.others + 1, member
        elseif not round.seen[member] and round.count <= bounds.products then
            round.seen[member], round.count = true, round.count + 1
            if not is_known[member] and #products < bounds.products then
                strangers[#strangers + 1] = member
            end
        end
    end
    return strangers
end

-- A sale that is listed no more lingers, or is forgotten.
local function settle()
    local listed = {}
    for _, product in ipairs(products) do
        if round.seen[product] then
            listed[#listed + 1] = product
        end
    end
    if #listed == #products and not next(lingering) and is_whole then
        return
    end
    take(listed)
    lingering = {}
    for _, product in ipairs(known_products.settle(listed)) do
        if not is_known[product] then
            lingering[product] = true
        end
    end
    put_products()
end

local function end_round()
    is_overfull = round.count > bounds.products
    if is_overfull then
        complaints.complain(SALES, "more than " .. bounds.products
            .. " members", "known sales stay, others join while there is room")
    else
        settle()
        if round.others > 0 then
            complaints.complain(SALES, round.others .. " that are no product,"
                .. " like " .. round.other, "passed over")
        else
            complaints.be_content(SALES)
        end
        is_on = round.count > bounds.sales
    end
    is_whole = true
end

-- A page of the set: its products that are not known, or nil and why not.
local function read_page(client)
    local page, err = client:sscan(SALES, round.cursor, "count", PAGE)
    if not page then
        return nil, SALES .. ": " .. tostring(err)
    end
    round.cursor = page[1]
    round.is_over = page[1] == "0"
    return meet(page[2])
end

-- Known products are read also where the set cannot be.
local function go_on(client, is_poll)
    local strangers, trouble = {}, nil
    if is_poll or round.is_urgent or has_changed and not is_overfull then
        strangers, trouble = read_page(client)
    end
    local ok, err = read_products(client, strangers or {})
    if not ok or trouble then
        return nil, err or trouble
    end
    if round.is_over then
        end_round()
        begin_round()
    elseif round.count > bounds.products then
        is_whole = true  -- as far as it can be
    end
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
        catch_up()
        begin_round()
    end
    return ok, err
end

return _M
