-- Ends what nobody knew of an attempt: with the word that nothing was taken, or
-- because its end has been told, which nothing replaces but order-service.
-- The former keeps rank 0: should order-service tell after all (of a shard that
-- was retired, or whose clock was set back), its word is the true one.
--
-- Answers 1; 0: a unit was taken, and order-service has yet to tell
local result, unknown = KEYS[1], KEYS[2]
local id, member, pending = ARGV[1], ARGV[2], ARGV[3]
local rejected = ARGV[4] -- '': it was taken

redis.call('ZCARD', unknown) -- fails here, not after a write, if no list
local is_open = redis.call('HGET', result, id) == '0 ' .. pending
if is_open and rejected == '' then
    return 0
end
if is_open then
    redis.call('HSET', result, id, '0 ' .. rejected)
end
redis.call('ZREM', unknown, member)
return 1
