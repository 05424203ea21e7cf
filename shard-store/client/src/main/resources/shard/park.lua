#!lua
-- Moves an outbox entry that cannot be read out of the relay's way, whole.
--
-- Answers {word}: PARKED, ABSENT
local outbox, parked, id = KEYS[1], KEYS[2], ARGV[1]

local found = redis.call('XRANGE', outbox, id, id)[1]
if not found then
    return {'ABSENT'}
end
redis.call('XADD', parked, '*', 'entry_id', id, unpack(found[2]))
redis.call('XDEL', outbox, id)
return {'PARKED'}
