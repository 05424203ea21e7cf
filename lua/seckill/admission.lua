-- What a call takes to pass and what is given back: the user's calls of a
-- second, a place among those that wait, the user's mark in flight, the rates
-- of address, node and product, one token of the quota. It takes all of them
-- or none; a refusal leaves every limiter as it was. A limiter that cannot tell
-- refuses with BUSY and not as if its limit were reached; only the mark in
-- flight, for the shard decides anyway, and the address let pass then. Most
-- refusals are foreseen: to take and to give back costs six writes where one
-- look is enough.

local addresses = require "seckill.request.address"
local algorithms = require "seckill.limit.algorithms"
local backlog = require "seckill.backlog"
local chain = require "seckill.limit.chain"
local counters = require "seckill.counters"
local fields_of = require "seckill.limit.fields"
local holders = require "seckill.sale.holders"
local in_flight = require "seckill.limit.in_flight"
local node = require "seckill.config.node"
local quotas = require "seckill.limit.quota"
local share = require "seckill.limit.share"
local view = require "seckill.config.view"
local waiting = require "seckill.limit.waiting"

local floor, min = math.floor, math.min
local count = counters.count
local shadow = view.shadow
local now = ngx.now
local sleep = ngx.sleep
local leases = ngx.shared.seckill_leases
local rates = ngx.shared.seckill_rates
local state = ngx.shared.seckill_state
local var = ngx.var

local CALLS_PER_USER = 20

-- Calls that wait for their service, of the node: while one hangs they take
-- 1,280 of the connections that attempts need, too. Where a service has fewer
-- instances than there are nodes, all nodes share what one has for each.
local MOST_WAITING = { path = 256, result = 256, orders = 128 }
local SERVICES = { path = "flash_sale", result = "flash_sale",
    orders = "order" }

-- Of users whom a node that was started does not know, for sales that are sold
-- out: 30,000 marks of 128 bytes in ten minutes, a quarter of their dict.
local ASKS_PER_SECOND = 50

-- An attempt ends within nginx's proxy timeouts, about 4 s, and a second that
-- leaky buckets may make it wait; a mark that its worker took along when it was
-- killed goes after this.
local IN_FLIGHT_SECONDS = 6

local LEASE_ERROR_SECONDS = 60
local NODE = "*"  -- the key of what is counted for all products together

local function count_error(name, passes)
    count(counters.limiter_error[name])
    count(passes and "unlimited" or "undecided")
end

local function count_shadow(name)
    count(counters.shadowed[name])
end

local function count_lease(got, err)
    count("leases")
    if not got then
        count("leases_failed")
        state:safe_set("lease_error", err, LEASE_ERROR_SECONDS)
    else
        count(got > 0 and "leases_filled" or "leases_empty")
    end
end

local function calls_per_user()
    return CALLS_PER_USER
end

local function asks_per_second()
    return ASKS_PER_SECOND
end

local function new_chain(links)
    return chain.new(links, count_error, shadow, count_shadow)
end

-- policy: how its RateLimit fields call it. clock: nil for the algorithm's own.
local function rate(name, policy, algorithm, dict, call, limit_of, clock)
    local function tell(key)
        return fields_of.window(policy, limit_of(key))
    end
    return { name = name, tell = tell, limiter = algorithms[algorithm](dict,
        call, limit_of, node.burst_s, clock) }
end

local function product_rate(call)
    return rate("product", "product", node.algorithms.product, rates, call,
        view.product_qps)
end

-- Of this node, by its share of what all nodes may pass. Shares are of seconds
-- of Redis's clock, so fixed windows are, too.
local function node_rate(call)
    local algorithm, limit_of, clock = node.algorithms.node, share.limit_now
    if algorithm == "fixed_window" then
        limit_of, clock = share.limit, share.clock
    end
    local link = rate("node", "node", algorithm, rates, call, limit_of, clock)
    function link.tell()
        share.refused()
        return fields_of.window("node", share.limit() or 0)
    end
    return link
end

local function tell_in_flight()
    return fields_of.IN_FLIGHT
end

local function tell_quota()
    return fields_of.QUOTA
end

local quota = quotas.new(leases, count_lease)
local marks = in_flight.new(ngx.shared.seckill_inflight, IN_FLIGHT_SECONDS)

local CALLS = rate("calls", "user", node.algorithms.user,
    ngx.shared.seckill_users, "calls", calls_per_user)
local ADDRESS = rate("address", "address", node.algorithms.address,
    ngx.shared.seckill_addresses, "deduct", view.address_qps)
ADDRESS.passes = true  -- whoever has many addresses could fill the dict
local MARK = { name = "in_flight", limiter = marks, passes = true,
    tell = tell_in_flight }
local QUOTA = { name = "quota", limiter = quota, tell = tell_quota }
local ASKS = rate("asks", "asks", "fixed_window", rates, "ask",
    asks_per_second)
local ATTEMPTS = node_rate "deduct"
local ATTEMPTS_OF_PRODUCT = product_rate "deduct"

local function most_waiting(route)
    local part = node.instances[SERVICES[route]] / share.nodes()
    return floor(MOST_WAITING[route] * min(1, part))
end

local places = waiting.new(most_waiting)

local call_chain = new_chain { CALLS }
local path_chain = new_chain { CALLS, node_rate "path", product_rate "path" }
local first_chain = new_chain { MARK, ADDRESS, ATTEMPTS, ATTEMPTS_OF_PRODUCT,
    QUOTA }
-- Who may hold a unit has had a token.
local again_chain = new_chain { CALLS, MARK, ADDRESS, ATTEMPTS,
    ATTEMPTS_OF_PRODUCT }
local ask_chain = new_chain { ASKS, MARK, ADDRESS, ATTEMPTS,
    ATTEMPTS_OF_PRODUCT }

local _M = {}

-- nil, or the refusal's code and its fields. Whom a leaky bucket lets pass may
-- have to wait.
local function enter(limiters, keys, taken)
    view.look()
    local delay, why, number = limiters:incoming(keys, taken)
    if delay then
        if delay > 0 then
            sleep(delay)
        end
        return nil
    elseif why ~= "rejected" then
        return "BUSY"
    end
    return "TOO_MANY_REQUESTS", limiters.links[number].tell(keys[number])
end

-- As enter(), and a place among those that wait. Whom a leaky bucket delays
-- has none meanwhile, for no service waits with him; who finds none, before or
-- after, is charged for nothing.
local function enter_waiting(limiters, keys, route)
    if not places:incoming(route) then
        return "BUSY"
    end
    local taken = {}
    local code, fields = enter(limiters, keys, taken)
    if code then
        return code, fields
    end
    if not places:incoming(route, true) then
        limiters:uncommit(keys, taken)
        return "BUSY"
    end
    var.seckill_waits = route
end

-- One of a user's calls other than first attempts, all routes together, and a
-- place among those that wait. nil, or the refusal's code and its fields.
function _M.take_call(user)
    return enter_waiting(call_chain, { user }, var.seckill_route)
end

-- A call waits no longer: it is answered, or ends without an answer.
function _M.end_call()
    local route = var.seckill_waits
    if route and route ~= "" then
        var.seckill_waits = ""
        places:uncommit(route)
    end
end

-- A call for a signed path, limited like attempts in windows of its own.
function _M.take_path(user, product)
    local code, fields = enter_waiting(path_chain, { user, NODE, product },
        "path")
    if not code then
        share.passed "path"
    end
    return code, fields
end

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
        code, fields = enter(again_chain,
            { user, mark, address, NODE, product }, taken)
    elseif is_ask then
        code, fields = enter(ask_chain,
            { NODE, mark, address, NODE, product }, taken)
    else
        local turn = backlog.take_turn()  -- others are decided while it waits
        code, fields = enter(first_chain,
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
