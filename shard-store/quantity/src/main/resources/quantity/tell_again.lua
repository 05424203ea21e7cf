#!lua
-- Writes a reservation's outbox entry again: its message was lost.
--
-- Answers {word}:
--   WRITTEN
--   WAITING  it is there still, or more wait than are looked through
--   NOT_HELD the reservation holds no units
--   GATED    the gate is closed, or the epoch is another
local stock, reservations, outbox = KEYS[1], KEYS[2], KEYS[3]
local id, epoch = ARGV[1], ARGV[2]

local MAX_LOOK = 1000 -- entries; about a millisecond

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
if redis.call('XLEN', outbox) > MAX_LOOK then
    return {'WAITING'}
end
for _, entry in ipairs(redis.call('XRANGE', outbox, '-', '+')) do
    if entry[2][2] == id then
        return {'WAITING'}
    end
end

redis.call('XADD', outbox, '*', 'reservation_id', id, 'user_id', user,
    'quantity', quantity, 'epoch', of_epoch, 'seq', seq,
    'reserved_at_ms', made_ms)
return {'WRITTEN'}
