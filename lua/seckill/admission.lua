-- What an attempt takes to pass and what is given back: the user's mark in
-- flight, the rates of address, node and product, one token of the quota
-- (chains.lua). It takes all of them or none; a refusal leaves every limiter as
-- it was. Most refusals are foreseen: to take and to give back costs six writes
-- where one look is enough.

local addresses = require "seckill.request.address"
local backlog = require "seckill.backlog"
local chains = require "seckill.chains"
local counters = require "seckill.counters"
local fields_of = require "seckill.limit.fields"
local holders = require "seckill.sale.holders"
local share = require "seckill.limit.share"
local view = require "seckill.config.view"

local floor = math.floor
local count = counters.count
local enter = chains.enter
local marks, quota = chains.marks, chains.quota
local now = ngx.now
local shadow = view.shadow

local NODE = chains.NODE
local ADDRESS, ASKS = chains.ADDRESS, chains.ASKS
local ATTEMPTS, ATTEMPTS_OF_PRODUCT =
    chains.ATTEMPTS, chains.ATTEMPTS_OF_PRODUCT
local AGAIN, ASK, FIRST = chains.of_again, chains.of_ask, chains.of_first

local _M = {}

-- The address, or false: it is not limited.
local function address_of_client()
    return view.limits_addresses() and addresses.of_client()
end

-- The RateLimit fields for an attempt of an address that has had its rate, or
-- nil. It takes nothing.
local function crowded()
    local address = address_of_client()
    if not address or shadow.address then
        return nil
    end
    local delay, why = ADDRESS.limiter:incoming(address)
    return not delay and why == "rejected" and ADDRESS.tell(address) or nil
end

local function mark_of(user, product)
    return product .. "|" .. user
end

-- Is no attempt to pass at all, of this node or of this product?
function _M.is_closed(product)
    return view.node_qps() == 0 or view.product_qps(product) == 0
end

local full_in  -- the second in which no more may be asked for

-- May one more user be asked for, of whom this node knows nothing? Takes
-- nothing; once the answer is no it asks no dict for the rest of the second.
function _M.may_ask()
    local second = floor(now())
    if second == full_in then
        return false
    end
    if ASKS.limiter:has_room(NODE) then
        return true
    end
    full_in = second
    return false
end

-- Of a first attempt that nothing else refuses, as far as can be seen: the
-- refusal's code and its fields, or nil.
local function hold_back(user, product)
    if not shadow.in_flight
            and not marks:incoming(mark_of(user, product)) then
        return "TOO_MANY_REQUESTS", fields_of.IN_FLIGHT
    end
    local fields = backlog.hold_back()
    return fields and "BUSY", fields
end

-- Would take() refuse now, or do orders wait too long for one more? nil, or
-- the refusal's code and its fields. It takes nothing, and an error is take()'s
-- to tell. needs_none: the user is let through without a token of the quota.
function _M.foresee(user, product, needs_none)
    local fields = crowded()
    if fields then
        return "TOO_MANY_REQUESTS", fields
    elseif not shadow.product
            and not ATTEMPTS_OF_PRODUCT.limiter:has_room(product) then
        return "TOO_MANY_REQUESTS", ATTEMPTS_OF_PRODUCT.tell(product)
    elseif not shadow.node and not ATTEMPTS.limiter:has_room(NODE) then
        if not share.limit() then
            return "BUSY"
        end
        return "TOO_MANY_REQUESTS", ATTEMPTS.tell(NODE)
    elseif not shadow.quota and not needs_none and quota:is_used_up(product)
            and not holders.may_hold(user, product) then
        return "TOO_MANY_REQUESTS", fields_of.QUOTA
    end
    if needs_none or not backlog.is_on()
            or holders.may_hold(user, product) then
        return nil
    end
    return hold_back(user, product)
end

-- What an attempt that passes holds, as text for a variable of nginx: product,
-- epochs of its sale, user, mark in flight, epoch of its token ("-": it has
-- none, "?": neither, for the user is asked for).
local function note(user, product, epochs, marked, token)
    return product .. " " .. epochs .. " " .. user
        .. (marked and " marked " or " - ") .. (token or "-")
end

-- The note; or nil, the refusal's code and its fields. is_ask: the sale is
-- sold out, and whether the user holds a unit is not known.
function _M.take(user, product, epochs, is_ask)
    local again = holders.may_hold(user, product)
    local mark, taken = mark_of(user, product), {}
    local address = address_of_client()
    local code, fields
    if again then
        code, fields = enter(AGAIN,
            { user, mark, address, NODE, product }, taken)
    elseif is_ask then
        code, fields = enter(ASK,
            { NODE, mark, address, NODE, product }, taken)
    else
        local turn = backlog.take_turn()  -- others are decided while it waits
        code, fields = enter(FIRST,
            { mark, address, NODE, product, product }, taken)
        if code then
            backlog.give_back(turn)
        end
    end
    if code then
        return nil, code, fields
    end
    share.passed "deduct"
    if again or is_ask then
        count("again")
        return note(user, product, epochs, taken[2], again and "-" or "?")
    end
    count(taken[5] and "first" or "again")
    return note(user, product, epochs, taken[1], taken[5])
end

-- code: of the answer, nil when none came; a service may have a new one.
local function count_answer(keys, code)
    count(keys[code or "NO_ANSWER"] or keys.OTHER)
end

-- After the answer. held: what take() told; is_sent: a service may have heard
-- of the attempt. The product and the epochs of its sale.
function _M.release(held, code, is_sent)
    local product, epochs, user, mark, token =
        held:match("^(%S+) (%S+) (%S+) (%S+) (%S+)$")
    if mark ~= "-" then  -- else a mark there is another attempt's
        marks:uncommit(mark_of(user, product))
    end
    holders.learn(user, product, code, is_sent, token == "?")
    if token == "-" or token == "?" then
        count_answer(counters.again_answered, code)
    else
        count_answer(counters.first_answered, code)
        if code ~= "ACCEPTED" then
            quota:uncommit(product, token)
            count("given_back")
        end
    end
    return product, epochs
end

return _M
