-- Keeps that an attempt waits on the disk of an instance, for its user.
--
-- Answers 1; 0, and keeps nothing: as many as may be are known of the user, or
-- the sale was removed
local result, removed = KEYS[1], KEYS[2]
local id, pending, max_kept = ARGV[1], ARGV[2], tonumber(ARGV[3])

if redis.call('EXISTS', removed) == 1 then
    return 0
end
if redis.call('HEXISTS', result, id) == 1 then
    return 1
end
if redis.call('HLEN', result) >= max_kept then
    return 0
end
redis.call('HSET', result, id, '0 ' .. pending)
return 1
