-- Keeps that an attempt waits on the disk of an instance, for its user, in the
-- place of the oldest word where as many are kept as may be, as store_result.lua
-- does: who was told PENDING is to hear how it ends; and for whoever finds out
-- should that disk be lost.
--
-- Answers 1; 0, and keeps nothing: the sale was removed, or as many as may be
-- are in spools
local result, removed, spooled = KEYS[1], KEYS[2], KEYS[3]
local id, pending, max_kept = ARGV[1], ARGV[2], tonumber(ARGV[3])
local member, expires_at_ms, max_spooled = ARGV[4], ARGV[5], tonumber(ARGV[6])

if redis.call('EXISTS', removed) == 1
        or redis.call('ZCARD', spooled) >= max_spooled then
    return 0
end
redis.call('HLEN', result) -- fails here, not after a write, if no hash
redis.call('ZADD', spooled, 'NX', expires_at_ms, member)
redis.call('HSETNX', result, id, '0 ' .. pending)
local ids = redis.call('HKEYS', result)
if #ids > max_kept then
    table.sort(ids)
    redis.call('HDEL', result, ids[1])
end
return 1
