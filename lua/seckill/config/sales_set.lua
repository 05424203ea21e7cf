-- The set of sales where it is too large for every poll: read by SSCAN in
-- rounds, a page in each poll, and in each turn of the poller after it has
-- changed. At a round's end a sale that it has not met lingers or is forgotten.
-- What is here is the polling worker's own.

local bounds = require "seckill.config.bounds"
local complaints = require "seckill.config.complaints"
local known_products = require "seckill.sale.known_products"
local listed = require "seckill.config.listed"
local params = require "seckill.request.params"
local redis_keys = require "seckill.config.redis_keys"

local NAME = redis_keys.SALES

local PAGE = 1000  -- members, about

local _M = {}

-- The round: where it is, what it has met (products as a set and their number;
-- how many others, and one), and whether it is over. Meanwhile: has the set
-- changed; and of the last one, were there too many members, and is all known.
local round, has_changed, is_overfull, is_whole

local function begin_round()
    round = { cursor = "0", seen = {}, count = 0, others = 0,
        is_urgent = has_changed and not is_overfull }
    has_changed = false
end

function _M.start()
    has_changed, is_overfull, is_whole = true, false, false
    begin_round()
end

-- It has changed, or a key of a sale that is not known.
function _M.hear()
    has_changed = true
end

-- What was met is in doubt.
function _M.begin_again()
    has_changed = true
    begin_round()
end

-- Is it to be read also between two polls?
function _M.is_urgent()
    return round.is_urgent or has_changed and not is_overfull
end

-- Is all that it lists known, as far as it can be?
function _M.is_whole()
    return is_whole
end

-- Is it known, and are its members so few that each may be complained of?
function _M.is_settled()
    return is_whole and not is_overfull
end

-- Notes one page; its products that are not known.
local function meet(members)
    local strangers = {}
    for _, member in ipairs(members) do
        if not params.is_product(member) then
            round.others, round.other = round.others + 1, member
        elseif not round.seen[member] and round.count <= bounds.products then
            round.seen[member], round.count = true, round.count + 1
            if not listed.is_known[member]
                    and #listed.products < bounds.products then
                strangers[#strangers + 1] = member
            end
        end
    end
    return strangers
end

-- Reads a page: its products that are not known, or nil and why not.
function _M.read_page(client)
    local page, err = client:sscan(NAME, round.cursor, "count", PAGE)
    if not page then
        return nil, NAME .. ": " .. tostring(err)
    end
    round.cursor = page[1]
    round.is_over = page[1] == "0"
    return meet(page[2])
end

-- A sale that is listed no more lingers, or is forgotten.
local function settle()
    local met = {}
    for _, product in ipairs(listed.products) do
        if round.seen[product] then
            met[#met + 1] = product
        end
    end
    if #met == #listed.products and not next(listed.lingering)
            and is_whole then
        return
    end
    listed.take(met, known_products.settle(met))
    listed.publish()
end

local function end_round()
    is_overfull = round.count > bounds.products
    if is_overfull then
        complaints.complain(NAME, "more than " .. bounds.products
            .. " members", "known sales stay, others join while there is room")
        return
    end
    settle()
    if round.others > 0 then
        complaints.complain(NAME, round.others .. " that are no product,"
            .. " like " .. round.other, "passed over")
    else
        complaints.be_content(NAME)
    end
end

-- After a page's strangers were read. Does the set fit into every poll now?
function _M.go_on()
    local count = round.count
    if round.is_over then
        end_round()
        is_whole = true
        begin_round()
        return count <= bounds.sales
    elseif count > bounds.products then
        is_whole = true  -- as far as it can be
    end
    return false
end

return _M
