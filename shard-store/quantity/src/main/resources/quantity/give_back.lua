#!lua flags=allow-oom
-- Gives a reservation's units back to this shard, or burns them, once.
-- Runs when memory is full as well: it makes room for buyers, not for data.
-- What is kept here decides, whatever quantity and epoch the message says;
-- the message's epoch is that of the ledger when the order became final.
--
-- Answers {word}:
--   RETURNED, BURNED  done now
--   TOMBSTONED        never taken here: a late reserve with this id is GONE
--   ALREADY_DONE      an earlier call did it
--   OTHER_EPOCH       not known in this life of the stock: not decided here
--   NOT_LOADED
local stock, buyers, reservations = KEYS[1], KEYS[2], KEYS[3]
local id, user, quantity = ARGV[1], ARGV[2], ARGV[3]
local epoch, action = ARGV[4], ARGV[5]

local FIELDS =
    {'available', 'init', 'deducted', 'returned', 'burned', 'epoch', 'seq'}

local units = redis.call('HMGET', stock, unpack(FIELDS))
local kept = redis.call('HGET', reservations, id)
redis.call('HLEN', buyers) -- fails here, not after a write, if no hash

-- What HINCRBY takes and Lua counts exactly: up to 15 digits, nothing else.
local function is_whole(text)
    return text and #text <= 15
        and (text == '0' or text:find('^[1-9]%d*$') ~= nil)
end

local known, whole = 0, 0
for i = 1, #FIELDS do
    known = known + (units[i] and 1 or 0)
    whole = whole + (is_whole(units[i]) and 1 or 0)
end
if known == 0 then
    return {'NOT_LOADED'}
end
-- As every reader of a placement has the epoch: 1 to 999,999,999.
if whole < #FIELDS or units[6] == '0' or #units[6] > 9 then
    return redis.error_reply('DAMAGED ' .. stock .. ' has a wrong counter')
end
if not kept then
    if units[6] ~= epoch then
        return {'OTHER_EPOCH'}
    end
    local time = redis.call('TIME')
    local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
    redis.call('HSET', reservations, id, table.concat(
        {'T', user, quantity, string.format('%.0f', now_ms), epoch, '0'}, '|'))
    return {'TOMBSTONED'}
end
local state, owner, taken, stamps =
    kept:match('^([RXBT])|([^|]+)|(%d+)|(%d+|%d+|%d+)$')
if not state or not is_whole(taken) then
    return redis.error_reply('DAMAGED ' .. reservations .. ' at ' .. id)
end
if state ~= 'R' then
    return {'ALREADY_DONE'}
end

local function close(as)
    redis.call('HSET', reservations, id,
        table.concat({as, owner, taken, stamps}, '|'))
    if redis.call('HGET', buyers, owner) == id then
        redis.call('HDEL', buyers, owner)
    end
end

if action == 'BURN' then
    redis.call('HINCRBY', stock, 'burned', taken)
    close('B')
    return {'BURNED'}
end
redis.call('HINCRBY', stock, 'available', taken)
redis.call('HINCRBY', stock, 'returned', taken)
close('X')
return {'RETURNED'}
