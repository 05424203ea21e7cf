#!lua
-- Removes a synthetic sale's data from this shard, all of it or nothing:
-- only while no entry waits in the outbox and no reservation was made that
-- the caller has not counted. A reserve that comes later is NOT_LOADED.
-- A stock without open_for makes none, so its counters may be damaged.
--
-- Answers {word}: REMOVED (again, too), ON_ITS_WAY
local stock, outbox, counted = KEYS[1], KEYS[4], ARGV[1]

if redis.call('TYPE', outbox).ok == 'stream'
        and redis.call('XLEN', outbox) > 0 then
    return {'ON_ITS_WAY'}
end
if redis.call('TYPE', stock).ok == 'hash' then
    local known = redis.call('HMGET', stock, 'open_for', 'seq')
    if known[1] and known[2] ~= counted then
        return {'ON_ITS_WAY'}
    end
end
redis.call('UNLINK', unpack(KEYS))
return {'REMOVED'}
