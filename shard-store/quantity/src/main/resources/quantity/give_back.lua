#!lua flags=allow-oom
-- Gives a reservation's units back to this shard, or burns them, once.
-- Runs when memory is full as well: it makes room for buyers, and of data it
-- makes one line per user.
-- What is kept here decides, whatever epoch the message says: that of the
-- ledger when the order became final, which counts where nothing is kept.
--
-- The user's mark turns into the word how the reservation ended, in the same
-- instant: whoever asks finds the one or the other. What a rebuild has counted
-- before its return came is told as well. The word is for that user alone and
-- counts nothing, so a key of a wrong type in its place is replaced and keeps no
-- unit from coming back.
--
-- The gate: answered only by the very Redis process whose books were verified
-- (open_for); each start and each promotion is another process.
--
-- Answers {word, epoch of the stock}:
--   RETURNED, BURNED  done now
--   ALREADY_DONE      an earlier call did it
--   OLDER             not kept, and the latest rebuild counted its units
--   NEWER             not kept, and this shard has yet to learn of that epoch
--   LOST              not kept, though it should be: this shard lost data
-- or {word}:
--   GATED             nobody has verified what this process holds
--   NOT_LOADED
local stock, buyers, reservations = KEYS[1], KEYS[2], KEYS[3]
local ended = KEYS[4]
local id, epoch, action = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local word = ARGV[4] -- '': how it ended is not known
local user = ARGV[5] -- whose it was, where nothing is kept that says so

local FIELDS = {'available', 'init', 'deducted', 'returned', 'burned', 'seq',
    'epoch', 'rebuilt', 'open_for'}

local units = redis.call('HMGET', stock, unpack(FIELDS))
local kept = redis.call('HGET', reservations, id)
local is_ended_hash = redis.call('TYPE', ended).ok == 'hash'
redis.call('HLEN', buyers) -- fails here, not after a write, if no hash

-- What HINCRBY takes and Lua counts exactly: up to 15 digits, nothing else.
local function is_whole(text)
    return text and #text <= 15
        and (text == '0' or text:find('^[1-9]%d*$') ~= nil)
end

-- As every reader of a placement has it: 1 to 999,999,999.
local function is_epoch(text)
    return is_whole(text) and text ~= '0' and #text <= 9
end

local open_for = units[9]
if not open_for then
    return {redis.call('EXISTS', stock) == 1 and 'GATED' or 'NOT_LOADED'}
end
if not redis.call('INFO', 'replication')
        :find('master_replid:' .. open_for .. '\r\n', 1, true) then
    return {'GATED'}
end
for i = 1, 6 do
    if not is_whole(units[i]) then
        return redis.error_reply('DAMAGED ' .. stock .. ' at ' .. FIELDS[i])
    end
end
local now, rebuilt = units[7], units[8]
if not (is_epoch(now) and is_epoch(rebuilt)) then
    return redis.error_reply('DAMAGED ' .. stock .. ' has a wrong epoch')
end
local function tell(whom)
    if not is_ended_hash then
        redis.call('DEL', ended)
    end
    redis.call('HSET', ended, whom, word)
end

-- Ids begin with the time at which they were made.
local function knows_of_a_later_one()
    local last = is_ended_hash and redis.call('HGET', ended, user)
    local known = last and last:match('^(%x+)|')
    return known and known > id
end

if not kept then
    local lacking = epoch < tonumber(rebuilt) and 'OLDER'
        or epoch > tonumber(now) and 'NEWER' or 'LOST'
    if lacking == 'OLDER' and word ~= '' and not knows_of_a_later_one() then
        tell(user)
    end
    return {lacking, now}
end
local state, owner, taken, stamps =
    kept:match('^([RXB])|([^|]+)|(%d+)|(%d+|%d+|%d+)$')
if not state or not is_whole(taken) then
    return redis.error_reply('DAMAGED ' .. reservations .. ' at ' .. id)
end
if state ~= 'R' then
    return {'ALREADY_DONE', now}
end

local function close(as)
    redis.call('HSET', reservations, id,
        table.concat({as, owner, taken, stamps}, '|'))
    if redis.call('HGET', buyers, owner) ~= id then
        return
    end
    redis.call('HDEL', buyers, owner)
    if word ~= '' then
        tell(owner)
    elseif is_ended_hash then
        redis.call('HDEL', ended, owner) -- it tells of an earlier one
    end
end

if action == 'BURN' then
    redis.call('HINCRBY', stock, 'burned', taken)
    close('B')
    return {'BURNED', now}
end
redis.call('HINCRBY', stock, 'available', taken)
redis.call('HINCRBY', stock, 'returned', taken)
close('X')
return {'RETURNED', now}
