#!lua
-- Writes a reservation's outbox entry again: its message was lost. Whoever
-- asks has looked through the outbox; here only its end is looked at, where
-- somebody who asked at the same time has written.
--
-- Answers {word}:
--   WRITTEN
--   WAITING  it is there still
--   NOT_HELD the reservation holds no units
--   GATED    the gate is closed, or the epoch is another
local stock, reservations, outbox = KEYS[1], KEYS[2], KEYS[3]
local id, epoch = ARGV[1], ARGV[2]

local MAX_LOOK = 100 -- entries; half a millisecond

local known = redis.call('HMGET', stock, 'open_for', 'epoch')
if known[2] ~= epoch or not (known[1] and redis.call('INFO', 'replication')
        :find('master_replid:' .. known[1] .. '\r\n', 1, true)) then
    return {'GATED'}
end
local user, quantity, made_ms, of_epoch, seq =
    (redis.call('HGET', reservations, id) or '')
        :match('^R|([^|]+)|(%d+)|(%d+)|(%d+)|(%d+)$')
if not user then
    return {'NOT_HELD'}
end
for _, entry in ipairs(
    redis.call('XREVRANGE', outbox, '+', '-', 'COUNT', MAX_LOOK)) do
    if entry[2][2] == id then
        return {'WAITING'}
    end
end

redis.call('XADD', outbox, '*', 'reservation_id', id, 'user_id', user,
    'quantity', quantity, 'epoch', of_epoch, 'seq', seq,
    'reserved_at_ms', made_ms)
return {'WRITTEN'}
