#!lua
-- Removes a synthetic sale's data from this shard, all of it or nothing:
-- only while no entry waits in the outbox and no reservation was made that
-- the caller has not counted. A reserve that comes later is NOT_LOADED.
--
-- Answers {word}: REMOVED (again, too), ON_ITS_WAY
local stock, outbox, counted = KEYS[1], KEYS[4], ARGV[1]

if redis.call('XLEN', outbox) > 0
        or (redis.call('HGET', stock, 'seq') or '0') ~= counted then
    return {'ON_ITS_WAY'}
end
redis.call('UNLINK', unpack(KEYS))
return {'REMOVED'}
