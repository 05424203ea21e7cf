#!lua flags=no-writes
-- What recovery has to know of a product in this Redis. A counter that is no
-- whole number counts as missing. Where any key is of a wrong type no script
-- can do its work, so all counters count as missing; where the last change of
-- its units is damaged nobody can tell which changes are in it.
--
-- Answers {identity of this Redis, of the one it is open for or '', counters,
-- epoch that is being built or '', outbox length}
local stock, buyers, reservations, outbox = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local FIELDS = {'available', 'init', 'deducted', 'returned', 'burned', 'epoch',
    'seq', 'rebuilt', 'building', 'open_for', 'changed'}

local function is_of(key, kind)
    local found = redis.call('TYPE', key).ok
    return found == kind or found == 'none'
end

local is_stream = is_of(outbox, 'stream')
local known = {}
if is_of(stock, 'hash') then
    known = redis.call('HMGET', stock, unpack(FIELDS))
end

local function is_whole(text, digits)
    return #text <= digits and (text == '0' or text:find('^[1-9]%d*$'))
end

if not (is_stream and is_of(buyers, 'hash') and is_of(reservations, 'hash')
        and is_whole(known[11] or '0', 15)) then
    known[1] = nil
end
local counters = {}
for i = 1, 9 do
    local text = known[i] or ''
    local digits = (FIELDS[i] == 'epoch' or i > 7) and 9 or 15
    counters[i] = is_whole(text, digits) and text or ''
end
return {
    redis.call('INFO', 'replication'):match('master_replid:(%x+)'),
    known[10] or '',
    counters,
    table.remove(counters),
    is_stream and redis.call('XLEN', outbox) or 0,
}
