-- Keeps that an attempt waits on the disk of an instance, for its user, in the
-- place of the oldest word where as many are kept as may be, as store_result.lua
-- does: who was told PENDING is to hear how it ends.
--
-- Answers 1; 0, and keeps nothing: the sale was removed
local result, removed = KEYS[1], KEYS[2]
local id, pending, max_kept = ARGV[1], ARGV[2], tonumber(ARGV[3])

if redis.call('EXISTS', removed) == 1 then
    return 0
end
redis.call('HSETNX', result, id, '0 ' .. pending)
local ids = redis.call('HKEYS', result)
if #ids > max_kept then
    table.sort(ids)
    redis.call('HDEL', result, ids[1])
end
return 1
