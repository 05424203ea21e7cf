#!lua flags=no-writes
-- Does this user hold units here?
--
-- Answers {word, reservation id or '', guests, units left}; guests 0: no guest
-- has ever taken here, see reserve.lua
--   KNOWN  this is what the shard knows
--   GATED  what it knows may be too little: not loaded, or see reserve.lua
local stock, buyers, user = KEYS[1], KEYS[2], ARGV[1]

local known = redis.call('HMGET', stock, 'guests', 'available', 'open_for')
local guests, available, open_for = unpack(known)
if not (open_for and redis.call('INFO', 'replication')
        :find('master_replid:' .. open_for .. '\r\n', 1, true)) then
    return {'GATED', '', '1', ''}
end
return {
    'KNOWN',
    redis.call('HGET', buyers, user) or '',
    guests == '0' and '0' or '1',
    available or '',
}
