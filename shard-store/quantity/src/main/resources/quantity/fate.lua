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
-- A replica that is not promoted yet has its master's id, and less than it.
local function is_open(identity)
    local info = identity and redis.call('INFO', 'replication')
    return info and info:find('role:master\r\n', 1, true)
        and info:find('master_replid:' .. identity .. '\r\n', 1, true)
end

local open_for = redis.call('HGET', stock, 'open_for')
if not is_open(open_for) then
    return {'GATED'}
end
return {'NOTHING'}
