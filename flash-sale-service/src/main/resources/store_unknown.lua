-- Keeps that nobody knows what became of an attempt, for its user and for who
-- finds out; and anew, when the latter is gone.
--
-- Answers 1; 2, and changes nothing: its end has been told; 0, and keeps
-- nothing: as many as may be are open on the shard or known of the user, or the
-- sale was removed
local result, unknown, removed = KEYS[1], KEYS[2], KEYS[3]
local id, pending, member, deadline_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local max_open, max_kept = tonumber(ARGV[5]), tonumber(ARGV[6])

local kept = redis.call('HGET', result, id)
if kept and kept ~= '0 ' .. pending then
    return 2
end
if redis.call('EXISTS', removed) == 1
        or redis.call('ZCARD', unknown) >= max_open
        or redis.call('HLEN', result) >= max_kept then
    return 0
end
redis.call('HSETNX', result, id, '0 ' .. pending)
redis.call('ZADD', unknown, 'NX', deadline_ms, member)
return 1
