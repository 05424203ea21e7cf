#!lua flags=no-writes
-- Does this user hold units here?
--
-- Answers {reservation id or '', guests, units left or ''}; guests 0: no guest
-- has ever taken here, see reserve.lua
local stock, buyers, user = KEYS[1], KEYS[2], ARGV[1]

local known = redis.call('HMGET', stock, 'guests', 'available')
return {
    redis.call('HGET', buyers, user) or '',
    known[1] == '0' and '0' or '1',
    known[2] or '',
}
