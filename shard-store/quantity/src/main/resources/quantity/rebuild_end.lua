#!lua flags=allow-oom
-- Writes the counters of a product that was rebuilt, when all its reservations
-- are there. It is not open yet.
--
-- Answers {word}: REBUILT, OTHER_REDIS, CHANGED, see rebuild_begin.lua
local stock, buyers, reservations = KEYS[1], KEYS[2], KEYS[3]
local identity, epoch, kept = ARGV[1], ARGV[2], tonumber(ARGV[3])
local allocated, held, guests = ARGV[4], ARGV[5], ARGV[6]

if not redis.call('INFO', 'replication')
        :find('master_replid:' .. identity .. '\r\n', 1, true) then
    return {'OTHER_REDIS'}
end
if redis.call('HGET', stock, 'building') ~= epoch
        or redis.call('HLEN', reservations) ~= kept
        or redis.call('HLEN', buyers) ~= kept then
    return {'CHANGED'}
end
redis.call('HSET', stock, 'init', allocated, 'deducted', held,
    'available', string.format('%.0f', allocated - held), 'returned', 0,
    'burned', 0, 'seq', 0, 'guests', guests, 'epoch', epoch, 'rebuilt', epoch)
redis.call('HDEL', stock, 'building')
return {'REBUILT'}
