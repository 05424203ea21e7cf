-- What a user's call other than an attempt takes to pass: one of the user's
-- calls of a second, for a path the rates of node and product, and a place
-- among those that wait for a service. All of them or none; a refusal leaves
-- every limiter as it was.

local chains = require "seckill.chains"
local share = require "seckill.limit.share"

local enter = chains.enter
local places = chains.places
local var = ngx.var

local _M = {}

-- A chain and a place. Whom a leaky bucket delays has no place meanwhile, for
-- no service waits with him; who finds none, before or after, is charged for
-- nothing.
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

-- One of a user's calls, all routes together. nil, or the refusal's code and
-- its fields.
function _M.take(user)
    return enter_waiting(chains.of_call, { user }, var.seckill_route)
end

-- A call for a signed path, limited like attempts in windows of its own.
function _M.take_path(user, product)
    local code, fields = enter_waiting(chains.of_path,
        { user, chains.NODE, product }, "path")
    if not code then
        share.passed "path"
    end
    return code, fields
end

-- It waits no longer: it is answered, or ends without an answer.
function _M.leave()
    local route = var.seckill_waits
    if route and route ~= "" then
        var.seckill_waits = ""
        places:uncommit(route)
    end
end

return _M
