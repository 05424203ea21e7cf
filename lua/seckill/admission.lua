-- What an attempt takes to pass and what is given back: the user's mark in
-- flight, the rates of node and product, one token of the quota. It takes
-- all of them or none; a refusal leaves every limiter as it was.

local holders = require "seckill.sale.holders"
local quota = require "seckill.limit.quota"
local rate = require "seckill.limit.rate"
local view = require "seckill.config.view"

local counters = ngx.shared.seckill_counters
local inflight = ngx.shared.seckill_inflight

-- An attempt ends within nginx's proxy timeouts, about 4 s; a mark that its
-- worker took along when it was killed goes after this.
local INFLIGHT_SECONDS = 6

local _M = {}

-- The keys of both windows, or nil: refused and nothing taken.
function _M.take_rates(call, product, now)
    local node_key = rate.take(counters, call .. ":*",
        view.limit("edge.global_qps"), now)
    if not node_key then
        return nil
    end
    local product_key = rate.take(counters, call .. ":" .. product,
        view.limit(product .. ".qps"), now)
    if not product_key then
        rate.give(counters, node_key)
    end
    return product_key and node_key, product_key
end

-- Both rates and one token of the quota, or nothing and the code. Who asks
-- again has had a token.
local function take_counted(attempt, now)
    local node_key, product_key =
        _M.take_rates("deduct", attempt.product, now)
    if not node_key then
        return "TOO_MANY_REQUESTS"
    end
    if attempt.again then
        return nil
    end
    local taken, code = quota.take(attempt.product, attempt.epoch)
    if not taken then
        rate.give(counters, node_key)
        rate.give(counters, product_key)
    end
    return code
end

-- False when the user has an attempt for this product in flight. A full
-- dict lets pass: the shard decides anyway.
local function enter(key)
    local ok, err = inflight:safe_add(key, true, INFLIGHT_SECONDS)
    if not ok and err == "no memory" then
        counters:incr("n:INFLIGHT_FULL", 1, 0)
        return true
    end
    return ok
end

-- nil, or the refusal's code. attempt: user, product, epoch.
function _M.take(attempt, now)
    local mark = attempt.user .. "|" .. attempt.product
    if not enter(mark) then
        return "TOO_MANY_REQUESTS"
    end
    local code = take_counted(attempt, now)
    if code then
        inflight:delete(mark)
        return code
    end
    counters:incr(attempt.again and "n:AGAIN" or "n:PASSED", 1, 0)
end

-- After the answer. held: see note(). code: of the answer, nil when none came.
function _M.release(held, code)
    local product, epoch, user, again =
        held:match("^(%S+) (%S+) (%S+) (%S+)$")
    inflight:delete(user .. "|" .. product)
    holders.learn(user, product, epoch, code)
    if again == "first" then
        if code == "ACCEPTED" then
            counters:incr("n:ACCEPTED", 1, 0)
        else
            quota.give(product, epoch)
        end
    end
    return product, epoch
end

-- What an attempt that passed holds, as text for a variable of nginx.
function _M.note(attempt)
    return table.concat({ attempt.product, attempt.epoch, attempt.user,
        attempt.again and "again" or "first" }, " ")
end

return _M
