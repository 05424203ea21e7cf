-- How many attempts may pass for a product: a lease on the quota that the
-- control Redis holds as {total, issued, epoch}. Its epoch is the quota's
-- own life, not the sale's. stock-service raises total while units are left,
-- so lost tokens strand no stock.

local lease = require "seckill.limit.lease"
local redis = require "seckill.config.redis"
local redis_keys = require "seckill.config.redis_keys"

-- Reads and checks come first; the only write is the last but one line. 15
-- digits are exact in Redis's Lua. Never more than a quarter of what is left,
-- so that near the end no node holds what another one could spend.
local LEASE = [[
local q = redis.call('HMGET', KEYS[1], 'total', 'issued', 'epoch')
local total, issued, epoch = q[1], q[2] or '0', q[3]
if not total then return {0, ''} end
for _, text in ipairs({total, issued, epoch or ''}) do
    if #text > 15 or not text:find('^%d+$') then
        return redis.error_reply(
            'total, issued and epoch must be whole numbers')
    end
end
local count = math.min(ARGV[1], math.ceil((total - issued) / 4))
if count <= 0 then return {0, epoch} end
redis.call('HINCRBY', KEYS[1], 'issued', count)
return {count, epoch}
]]

local MAX_ERROR = 200

local _M = {}

local function take(client, product, count)
    return client:eval(LEASE, 1, redis_keys.QUOTA .. product, count)
end

local function ask(product, count)
    local reply, err = redis.ask(take, product, count)
    if not reply then
        return nil, tostring(err):sub(1, MAX_ERROR)
    end
    return reply[1], reply[2]
end

-- A limiter by product. on_lease(count, error): told of every lease; no
-- count: it failed.
function _M.new(dict, on_lease)
    return lease.new(dict, function(product, count)
        local got, epoch = ask(product, count)
        on_lease(got, epoch)
        return got, epoch
    end)
end

return _M
