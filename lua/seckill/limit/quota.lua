-- How many attempts may pass for a product: a lease on the quota that the
-- control Redis holds as {total, issued, epoch, open_for}. Its epoch is the
-- quota's own life, not the sale's. stock-service raises total while units are
-- left, so lost tokens strand no stock.
--
-- A Redis that was started again, or a replica that was promoted, may have
-- forgotten what was issued last. It has another identity than the one the
-- epoch is open for, and issues nothing until stock-service begins an epoch
-- for the units that are left. (A stock-service of a former build says of none
-- whom it is open for.)
--
-- A lease has an id, and Redis keeps for a while what each id got. One that
-- was not answered is asked for again with its id, by the same worker, and is
-- then issued once and given once, however often the script has run.
--
-- unanswered:PRODUCT:PID   the id, for as long as Redis keeps it; one per
--   product and worker. No room: its tokens may be lost.

local lease = require "seckill.limit.lease"
local redis = require "seckill.config.redis"
local redis_keys = require "seckill.config.redis_keys"

-- Reads and checks come first; nothing that is written can be refused after
-- the first write. 15 digits are exact in Redis's Lua. Never more than a
-- quarter of what is left, so that near the end no node holds what another
-- one could spend. What an id got under another epoch is worth nothing.
local LEASE = [[
local q = redis.call('HMGET', KEYS[1], 'total', 'issued', 'epoch', 'open_for')
local total, issued, epoch = q[1], q[2] or '0', q[3]
local open_for = q[4]
if not total or open_for and not redis.call('INFO', 'replication')
        :find('master_replid:' .. open_for .. '\r\n', 1, true) then
    return {0, ''}
end
for _, text in ipairs({total, issued, epoch or ''}) do
    if #text > 15 or not text:find('^%d+$') then
        return redis.error_reply(
            'total, issued and epoch must be whole numbers')
    end
end
local got, of = string.match(redis.call('GET', KEYS[2]) or '',
    '^(%d+) (%d+)$')
if of == epoch then return {tonumber(got), epoch} end
local count = math.min(ARGV[1], math.ceil((total - issued) / 4))
if count <= 0 then return {0, epoch} end
redis.call('HINCRBY', KEYS[1], 'issued', count)
redis.call('SET', KEYS[2], count .. ' ' .. epoch, 'EX', ARGV[2])
return {count, epoch}
]]

local KEPT_SECONDS = 10
local ID_BYTES = 16
local MAX_ERROR = 200

local _M = {}

-- Opened each time: what a file has read ahead, forked workers would share.
local function new_id()
    local file = assert(io.open("/dev/urandom", "rb"))
    local bytes = file:read(ID_BYTES)
    file:close()
    return (bytes:gsub(".", function(byte)
        return ("%02x"):format(byte:byte())
    end))
end

local function take(client, name, count)
    local product, id = name[1], name[2]
    return client:eval(LEASE, 2, redis_keys.QUOTA .. product,
        redis_keys.LEASE .. product .. ":" .. id, count, KEPT_SECONDS)
end

-- An id is forgotten here before Redis does.
local function ask(dict, product, count)
    local unanswered = "unanswered:" .. product .. ":" .. ngx.worker.pid()
    local id = dict:get(unanswered)
    if not id then
        id = new_id()
        dict:safe_set(unanswered, id, KEPT_SECONDS)
    end
    local reply, err = redis.ask(take, { product, id }, count)
    if not reply then
        return nil, tostring(err):sub(1, MAX_ERROR)
    end
    dict:delete(unanswered)
    return reply[1], reply[2]
end

-- A limiter by product. on_lease(count, error): told of every lease; no
-- count: it failed.
function _M.new(dict, on_lease)
    return lease.new(dict, function(product, count)
        local got, epoch = ask(dict, product, count)
        on_lease(got, epoch)
        return got, epoch
    end)
end

return _M
