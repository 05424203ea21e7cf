#!lua flags=no-writes
-- What became of a wish to take units whose answer was lost. Once its deadline
-- has passed by this shard's own clock nothing can become of it any more: the
-- script that takes compares the same two.
--
-- Answers {word}:
--   TAKEN   this shard has the reservation, given back by now or not
--   NOTHING it has not and never will
--   OPEN    the deadline is to come
--   GATED   it may know too little: not loaded, or see reserve.lua
local stock, reservations = KEYS[1], KEYS[2]
local id, deadline_ms = ARGV[1], tonumber(ARGV[2])

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('HEXISTS', reservations, id) == 1 then
    return {'TAKEN'}
end
if now_ms <= deadline_ms then
    return {'OPEN'}
end
local open_for = redis.call('HGET', stock, 'open_for')
if not (open_for and redis.call('INFO', 'replication')
        :find('master_replid:' .. open_for .. '\r\n', 1, true)) then
    return {'GATED'}
end
return {'NOTHING'}
