#!lua flags=allow-oom
-- Gives the lease KEYS[1] of this shard to ARGV[1] for ARGV[2] ms, unless
-- somebody else has it; 0 ms: gives it back. Whatever else lies under the key
-- is no lease.
--
-- Answers {word}: HELD (by ARGV[1]), FREE, TAKEN (by somebody else)
local holder = redis.pcall('GET', KEYS[1])

if type(holder) == 'string' and holder ~= ARGV[1] then
    return {'TAKEN'}
end
if ARGV[2] == '0' then
    redis.call('DEL', KEYS[1])
    return {'FREE'}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {'HELD'}
