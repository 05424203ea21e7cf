-- How many attempts may pass for a product. The control Redis holds {total,
-- issued, epoch}; the node leases a few at a time and spends them here.
--
-- tokens:PRODUCT:EPOCH   attempts leased and not yet spent; made by a lease,
--   gone ten minutes after the last one. A new epoch makes a new key, so old
--   tokens cannot be spent on new stock.
-- pause:PRODUCT          a refusal's code: do not ask Redis for a moment.
-- leasing:PRODUCT        one request at a time asks Redis.
--
-- A spend is one incr: it counts when the result is not negative, else it is
-- taken back. The sum of tokens is never more than leased, so no worker
-- passes more than Redis issued. A lease whose reply was lost is issued and
-- never spent, like the tokens of a node that died: stock-service raises
-- total while units are left, so neither strands stock.

local redis = require "seckill.config.redis"

local counters = ngx.shared.seckill_counters

local BATCH = 32
local TOKENS_SECONDS = 600
local PAUSE_SECONDS = 0.1
local LEASE_SECONDS = 0.5  -- more than redis.lua's timeouts together

-- Reads and checks come first; the only write is the last line.
local LEASE = [[
local q = redis.call('HMGET', KEYS[1], 'total', 'issued', 'epoch')
local total, issued = q[1], q[2] or '0'
if not total or q[3] ~= ARGV[1] then return 0 end
if not (total .. issued):find('^%d+$') then
    return redis.error_reply('total and issued must be whole numbers')
end
local count = math.min(ARGV[2], total - issued)
if count <= 0 then return 0 end
redis.call('HINCRBY', KEYS[1], 'issued', count)
return count
]]

local _M = {}

local function tokens_key(product, epoch)
    return "tokens:" .. product .. ":" .. epoch
end

local function spend(key)
    local left = counters:incr(key, -1)
    if left and left >= 0 then
        return true
    end
    if left then
        counters:incr(key, 1)
    end
    return false
end

local function pause(product, code)
    counters:set("pause:" .. product, code, PAUSE_SECONDS)
    return false, code
end

-- Leases a batch and keeps one of it for the caller.
local function lease(product, epoch)
    local count, err = redis.ask(function(client)
        return client:eval(LEASE, 1, "seckill:quota:" .. product,
            epoch, BATCH)
    end)
    if not count then
        counters:set("lease_error", tostring(err), 60)
        counters:incr("n:LEASE_FAILED", 1, 0)
        return pause(product, "BUSY")
    end
    if count == 0 then
        return pause(product, "TOO_MANY_REQUESTS")
    end
    local key = tokens_key(product, epoch)
    counters:incr(key, count - 1, 0)
    counters:expire(key, TOKENS_SECONDS)
    return true
end

-- true, or false and the refusal's code: TOO_MANY_REQUESTS when the quota is
-- used up for now (units may be left), BUSY when Redis cannot be asked.
function _M.take(product, epoch)
    if spend(tokens_key(product, epoch)) then
        return true
    end
    local code = counters:get("pause:" .. product)
    if code then
        return false, code
    end
    local leasing = "leasing:" .. product
    if not counters:add(leasing, true, LEASE_SECONDS) then
        return false, "TOO_MANY_REQUESTS"
    end
    local taken, why = lease(product, epoch)
    counters:delete(leasing)
    return taken, why
end

-- For an attempt that took no unit. A token of an epoch that is gone stays
-- gone.
function _M.give(product, epoch)
    counters:incr(tokens_key(product, epoch), 1)
    counters:incr("n:GIVEN_BACK", 1, 0)
end

return _M
