#!lua flags=allow-oom
-- Puts some reservations of live orders into a product that is being rebuilt;
-- may be repeated.
--
-- Answers {word}: TAKEN, OTHER_REDIS, CHANGED, see rebuild_begin.lua
local stock, buyers, reservations = KEYS[1], KEYS[2], KEYS[3]
local identity, epoch = ARGV[1], ARGV[2]

if not redis.call('INFO', 'replication')
        :find('master_replid:' .. identity .. '\r\n', 1, true) then
    return {'OTHER_REDIS'}
end
if redis.call('HGET', stock, 'building') ~= epoch then
    return {'CHANGED'}
end
for i = 3, #ARGV, 3 do
    local id, user, packed = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    redis.call('HSET', buyers, user, id)
    redis.call('HSET', reservations, id, packed)
end
return {'TAKEN'}
