-- The limiters of this edge, and the chains of them that calls go through: the
-- user's calls of a second, a place among those that wait, the user's mark in
-- flight, the rates of address, node and product, the product's quota. A
-- limiter that cannot tell refuses with BUSY and not as if its limit were
-- reached; only the mark in flight, for the shard decides anyway, and the
-- address let pass then.

local algorithms = require "seckill.limit.algorithms"
local chain = require "seckill.limit.chain"
local counters = require "seckill.counters"
local fields_of = require "seckill.limit.fields"
local in_flight = require "seckill.limit.in_flight"
local node = require "seckill.config.node"
local quotas = require "seckill.limit.quota"
local share = require "seckill.limit.share"
local view = require "seckill.config.view"
local waiting = require "seckill.limit.waiting"

local floor, min = math.floor, math.min
local count = counters.count
local sleep = ngx.sleep
local leases = ngx.shared.seckill_leases
local rates = ngx.shared.seckill_rates
local shadow = view.shadow
local state = ngx.shared.seckill_state

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

local _M = {
    NODE = "*",  -- the key of what is counted for all products together
}

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

local function most_waiting(route)
    local part = node.instances[SERVICES[route]] / share.nodes()
    return floor(MOST_WAITING[route] * min(1, part))
end

local CALLS = rate("calls", "user", node.algorithms.user,
    ngx.shared.seckill_users, "calls", calls_per_user)

_M.quota = quotas.new(leases, count_lease)
_M.marks = in_flight.new(ngx.shared.seckill_inflight, IN_FLIGHT_SECONDS)
_M.places = waiting.new(most_waiting)

_M.ADDRESS = rate("address", "address", node.algorithms.address,
    ngx.shared.seckill_addresses, "deduct", view.address_qps)
_M.ADDRESS.passes = true  -- whoever has many addresses could fill the dict
_M.ASKS = rate("asks", "asks", "fixed_window", rates, "ask", asks_per_second)
_M.ATTEMPTS = node_rate "deduct"
_M.ATTEMPTS_OF_PRODUCT = product_rate "deduct"
local MARK = { name = "in_flight", limiter = _M.marks, passes = true,
    tell = tell_in_flight }
local QUOTA = { name = "quota", limiter = _M.quota, tell = tell_quota }

_M.of_call = new_chain { CALLS }
_M.of_path = new_chain { CALLS, node_rate "path", product_rate "path" }
_M.of_first = new_chain { MARK, _M.ADDRESS, _M.ATTEMPTS,
    _M.ATTEMPTS_OF_PRODUCT, QUOTA }
-- Who may hold a unit has had a token.
_M.of_again = new_chain { CALLS, MARK, _M.ADDRESS, _M.ATTEMPTS,
    _M.ATTEMPTS_OF_PRODUCT }
_M.of_ask = new_chain { _M.ASKS, MARK, _M.ADDRESS, _M.ATTEMPTS,
    _M.ATTEMPTS_OF_PRODUCT }

-- Takes of a chain. nil, or the refusal's code and its fields. Whom a leaky
-- bucket lets pass may have to wait. keys, taken: as of chain.incoming().
function _M.enter(limiters, keys, taken)
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

return _M
