-- Takes back what was told of an attempt that waited on the disk of an instance:
-- its user has another reservation. What order-service has told stays.
local result, id = KEYS[1], ARGV[1]

local kept = redis.call('HGET', result, id)
if kept and kept:sub(1, 1) == '0' then
    redis.call('HDEL', result, id)
end
return 1
