#!lua flags=no-writes
-- How many units buyers may take here, in this epoch.
--
-- Answers {units}, or {}: the gate is closed, the epoch is another, or it is
-- damaged
local stock, epoch = KEYS[1], ARGV[1]

-- A replica that is not promoted yet has its master's id, and less than it.
local function is_open(identity)
    local info = identity and redis.call('INFO', 'replication')
    return info and info:find('role:master\r\n', 1, true)
        and info:find('master_replid:' .. identity .. '\r\n', 1, true)
end

local known = redis.call('HMGET', stock, 'available', 'epoch', 'open_for')
local available, now, open_for = unpack(known)
if now ~= epoch or not is_open(open_for) then
    return {}
end
if not available or #available > 15
        or not (available == '0' or available:find('^[1-9]%d*$')) then
    return {}
end
return {available}
