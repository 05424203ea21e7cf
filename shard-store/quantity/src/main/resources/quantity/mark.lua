#!lua flags=no-writes
-- Does this user hold units here?
--
-- Answers {reservation id or '', guests}; guests 0: no guest has ever taken
-- here, see reserve.lua
local stock, buyers, user = KEYS[1], KEYS[2], ARGV[1]

return {
    redis.call('HGET', buyers, user) or '',
    redis.call('HGET', stock, 'guests') == '0' and '0' or '1',
}
