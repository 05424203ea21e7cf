#!lua flags=no-writes
-- How many units buyers may take here, in this epoch.
--
-- Answers {units}, or {}: the gate is closed, the epoch is another, or it is
-- damaged
local stock, epoch = KEYS[1], ARGV[1]

local known = redis.call('HMGET', stock, 'available', 'epoch', 'open_for')
local available, now, open_for = unpack(known)
if now ~= epoch or not (open_for and redis.call('INFO', 'replication')
        :find('master_replid:' .. open_for .. '\r\n', 1, true)) then
    return {}
end
if not available or #available > 15
        or not (available == '0' or available:find('^[1-9]%d*$')) then
    return {}
end
return {available}
