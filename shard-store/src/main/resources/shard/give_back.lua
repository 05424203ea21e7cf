#!lua flags=allow-oom
-- Gives a reservation's units back to this shard, or burns them, once.
-- Runs when memory is full as well: it makes room for buyers, not for data.
-- The quantity is the one kept here, whatever the message says.
--
-- Answers {word}:
--   RETURNED, BURNED  done now
--   TOMBSTONED        never taken here: a late reserve with this id is GONE
--   ALREADY_DONE      an earlier call did it
--   STALE_EPOCH, NOT_LOADED
local stock, buyers, reservations = KEYS[1], KEYS[2], KEYS[3]
local id, user, quantity = ARGV[1], ARGV[2], ARGV[3]
local epoch, action = ARGV[4], ARGV[5]

local units = redis.call('HMGET', stock,
    'epoch', 'available', 'returned', 'burned')
local kept = redis.call('HGET', reservations, id)
redis.call('HLEN', buyers) -- fails here, not after a write, if no hash

if not units[1] then
    return {'NOT_LOADED'}
end
if units[1] ~= epoch then
    return {'STALE_EPOCH'}
end
if not kept then
    local time = redis.call('TIME')
    local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
    redis.call('HSET', reservations, id, table.concat(
        {'T', user, quantity, string.format('%.0f', now_ms)}, '|'))
    return {'TOMBSTONED'}
end
local state, owner, taken, at_ms = kept:match('^(%u)|([^|]+)|(%d+)|(%d+)$')
if not state then
    return redis.error_reply('DAMAGED ' .. reservations .. ' at ' .. id)
end
if state ~= 'R' then
    return {'ALREADY_DONE'}
end
if not (tonumber(units[2]) and tonumber(units[3]) and tonumber(units[4])) then
    return redis.error_reply('DAMAGED ' .. stock .. ' lacks a counter')
end

local function close(as)
    redis.call('HSET', reservations, id,
        table.concat({as, owner, taken, at_ms}, '|'))
    if redis.call('HGET', buyers, owner) == id then
        redis.call('HDEL', buyers, owner)
    end
end

if action == 'BURN' then
    redis.call('HINCRBY', stock, 'burned', taken)
    close('B')
    return {'BURNED'}
end
redis.call('HINCRBY', stock, 'available', taken)
redis.call('HINCRBY', stock, 'returned', taken)
close('X')
return {'RETURNED'}
