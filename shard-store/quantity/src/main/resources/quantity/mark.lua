#!lua flags=no-writes
-- Does this user hold units here?
--
-- Answers {word, reservation id or '', guests, units left}; guests 0: no guest
-- has ever taken here, see reserve.lua
--   KNOWN  this is what the shard knows
--   GATED  what it knows may be too little: not loaded, or see reserve.lua
local stock, buyers, user = KEYS[1], KEYS[2], ARGV[1]

-- A replica that is not promoted yet has its master's id, and less than it.
local function is_open(identity)
    local info = identity and redis.call('INFO', 'replication')
    return info and info:find('role:master\r\n', 1, true)
        and info:find('master_replid:' .. identity .. '\r\n', 1, true)
end

local known = redis.call('HMGET', stock, 'guests', 'available', 'open_for')
local guests, available, open_for = unpack(known)
if not is_open(open_for) then
    return {'GATED', '', '1', ''}
end
return {
    'KNOWN',
    redis.call('HGET', buyers, user) or '',
    guests == '0' and '0' or '1',
    available or '',
}
