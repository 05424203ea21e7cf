-- Ends what was told of an attempt that waited on the disk of an instance: with
-- the word that nothing was taken, of rank 0, which gives way to
-- order-service's; or with none, where its user has another reservation.
-- What order-service has told stays.
--
-- Answers 1; 0: there is no such sale any more, or no room for the word
local result, removed = KEYS[1], KEYS[2]
local id, rejected, max_kept = ARGV[1], ARGV[2], tonumber(ARGV[3])

if redis.call('EXISTS', removed) == 1 then
    return 0
end
local kept = redis.call('HGET', result, id)
if kept and kept:sub(1, 1) ~= '0' then
    return 1
end
if rejected == '' then
    redis.call('HDEL', result, id)
    return 1
end
if not kept and redis.call('HLEN', result) >= max_kept then
    return 0
end
redis.call('HSET', result, id, '0 ' .. rejected)
return 1
