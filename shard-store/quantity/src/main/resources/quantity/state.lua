#!lua flags=no-writes
-- What recovery has to know of a product in this Redis. A counter that is no
-- whole number counts as missing, and so does everything behind a wrong type.
--
-- Answers {identity of this Redis, of the one it is open for or '', counters,
-- epoch that is being built or '', outbox length}
local stock, outbox = KEYS[1], KEYS[2]
local FIELDS = {'available', 'init', 'deducted', 'returned', 'burned', 'epoch',
    'seq', 'rebuilt', 'building', 'open_for'}

local known = {}
if redis.call('TYPE', stock).ok == 'hash' then
    known = redis.call('HMGET', stock, unpack(FIELDS))
end
local counters = {}
for i = 1, 9 do
    local text = known[i] or ''
    local digits = (FIELDS[i] == 'epoch' or i > 7) and 9 or 15
    local is_whole = #text <= digits
        and (text == '0' or text:find('^[1-9]%d*$'))
    counters[i] = is_whole and text or ''
end
return {
    redis.call('INFO', 'replication'):match('master_replid:(%x+)'),
    known[10] or '',
    counters,
    table.remove(counters),
    redis.call('TYPE', outbox).ok == 'stream'
        and redis.call('XLEN', outbox) or 0,
}
