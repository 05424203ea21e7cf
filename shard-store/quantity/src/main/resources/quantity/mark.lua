#!lua flags=no-writes
-- Does this user hold units here, and if not, how did the last end that the
-- user held here?
--
-- Answers {word, reservation id or '', guests, units left, how the last ended,
-- see give_back.lua, or ''}; guests 0: no guest has ever taken here, see
-- reserve.lua
--   KNOWN  this is what the shard knows
--   GATED  what it knows may be too little: not loaded, or see reserve.lua
local stock, buyers, ended, user = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

-- A replica that is not promoted yet has its master's id, and less than it.
local function is_open(identity)
    local info = identity and redis.call('INFO', 'replication')
    return info and info:find('role:master\r\n', 1, true)
        and info:find('master_replid:' .. identity .. '\r\n', 1, true)
end

local known = redis.call('HMGET', stock, 'guests', 'available', 'open_for')
local guests, available, open_for = unpack(known)
if not is_open(open_for) then
    return {'GATED', '', '1', '', ''}
end
local held = redis.call('HGET', buyers, user)
-- What is no hash says nothing, and hides no mark.
local last = not held and redis.pcall('HGET', ended, user)
return {
    'KNOWN',
    held or '',
    guests == '0' and '0' or '1',
    available or '',
    type(last) == 'string' and last or '',
}
