#!lua
-- Takes units of a product for a user, at most once per reservation id.
-- Every read and check comes before the first write, because a script that
-- fails half-way keeps what it wrote. The shebang lets Redis refuse the whole
-- script when memory is full.
--
-- What is taken is stamped with this shard's epoch and the next seq, in the
-- reservation and in its outbox entry alike: no other reserve of the product
-- in this shard ever has the same seq.
--
-- A Redis that was started, promoted or put back goes on with data that may
-- be older than what it once answered. It is another one than open_for names
-- (the replication id is new each time), and sells nothing until recovery has
-- compared its data with the books.
--
-- Takes for a guest, who is at home in another shard, are marked on the
-- stock for good: as long as guests is 0 nobody holds units here who might
-- ask for more at home.
--
-- Answers {word, detail, guests}; guests 0: no guest has ever taken here
--   TAKEN            now or by an earlier call with this id; detail = 0: the
--                    last unit here, just now
--   GONE             this id was taken and given back
--   DEADLINE_PASSED  woken too late: the client has stopped waiting
--   NOT_LOADED       no stock here; never to be read as sold out
--   GATED            this Redis is not the one whose books were verified
--   ALREADY_BOUGHT   the user holds units; detail = reservation id
--   SOLD_OUT         fewer left than wanted; detail = units left
local stock, buyers, reservations, outbox = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, user, is_guest = ARGV[1], ARGV[2], ARGV[5] == '1'
local quantity, deadline_ms = tonumber(ARGV[3]), tonumber(ARGV[4])

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('HGET', reservations, id)
local units = redis.call('HMGET', stock,
    'available', 'deducted', 'seq', 'epoch', 'guests', 'open_for')
local held = redis.call('HGET', buyers, user)
redis.call('XLEN', outbox) -- fails here, not after a write, if no stream

-- Plain digits that Lua counts exactly.
local function is_whole(text)
    return text and #text <= 15
        and (text == '0' or text:find('^[1-9]%d*$'))
end

-- As every reader of a placement or a message has it: 1 to 999,999,999.
local function is_epoch(text)
    return text and #text <= 9 and text:find('^[1-9]%d*$')
end

local function is_open(identity)
    return identity and redis.call('INFO', 'replication')
        :find('master_replid:' .. identity .. '\r\n', 1, true)
end

local function answer(word, detail)
    return {word, detail or '', units[5] == '0' and '0' or '1'}
end

if kept then
    return answer(kept:sub(1, 2) == 'R|' and 'TAKEN' or 'GONE')
end
if now_ms > deadline_ms then
    return answer('DEADLINE_PASSED')
end
local available, deducted, seq, epoch, _, open_for = unpack(units)
if not (available or deducted or seq or epoch) then
    return answer('NOT_LOADED')
end
if not (is_whole(available) and is_whole(deducted)
        and is_whole(seq) and is_epoch(epoch)) then
    return redis.error_reply('DAMAGED ' .. stock .. ' has a wrong counter')
end
if not is_open(open_for) then
    return answer('GATED')
end
if held then
    return answer('ALREADY_BOUGHT', held)
end
if tonumber(available) < quantity then
    return answer('SOLD_OUT', available)
end

local at_ms = string.format('%.0f', now_ms)
seq = string.format('%.0f', seq + 1)
redis.call('XADD', outbox, '*', 'reservation_id', id, 'user_id', user,
    'quantity', quantity, 'epoch', epoch, 'seq', seq, 'reserved_at_ms', at_ms)
redis.call('HSET', stock,
    'available', string.format('%.0f', available - quantity),
    'deducted', string.format('%.0f', deducted + quantity),
    'seq', seq)
if is_guest and units[5] ~= '1' then
    units[5] = '1'
    redis.call('HSET', stock, 'guests', '1')
end
redis.call('HSET', buyers, user, id)
redis.call('HSET', reservations, id,
    table.concat({'R', user, quantity, at_ms, epoch, seq}, '|'))
return answer('TAKEN', tonumber(available) == quantity and '0' or '')
