#!lua
-- Takes units of a product for a user, at most once per reservation id.
-- Every read and check comes before the first write, because a script that
-- fails half-way keeps what it wrote. The shebang lets Redis refuse the whole
-- script when memory is full.
--
-- Answers {word}, {word, detail}:
--   TAKEN            now or by an earlier call with this id
--   GONE             this id was taken and given back, or called off
--   DEADLINE_PASSED  woken too late: the client has stopped waiting
--   NOT_LOADED       no stock here; never to be read as sold out
--   STALE_EPOCH      stock of another life; detail = its epoch
--   ALREADY_BOUGHT   the user holds units; detail = reservation id
--   SOLD_OUT         fewer left than wanted; detail = units left
local stock, buyers, reservations, outbox = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, user, epoch = ARGV[1], ARGV[2], ARGV[4]
local quantity, deadline_ms = tonumber(ARGV[3]), tonumber(ARGV[5])

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('HGET', reservations, id)
local units = redis.call('HMGET', stock, 'available', 'deducted', 'epoch')
local held = redis.call('HGET', buyers, user)
redis.call('XLEN', outbox) -- fails here, not after a write, if no stream

if kept then
    return {kept:sub(1, 2) == 'R|' and 'TAKEN' or 'GONE'}
end
if now_ms > deadline_ms then
    return {'DEADLINE_PASSED'}
end
if not units[3] then
    return {'NOT_LOADED'}
end
if units[3] ~= epoch then
    return {'STALE_EPOCH', units[3]}
end
if held then
    return {'ALREADY_BOUGHT', held}
end
local available = tonumber(units[1])
if not available or not tonumber(units[2]) then
    return redis.error_reply('DAMAGED ' .. stock .. ' lacks a counter')
end
if available < quantity then
    return {'SOLD_OUT', units[1]}
end

local at_ms = string.format('%.0f', now_ms)
redis.call('XADD', outbox, '*', 'reservation_id', id, 'user_id', user,
    'quantity', quantity, 'epoch', epoch, 'reserved_at_ms', at_ms)
redis.call('HINCRBY', stock, 'available', -quantity)
redis.call('HINCRBY', stock, 'deducted', quantity)
redis.call('HSET', buyers, user, id)
redis.call('HSET', reservations, id,
    table.concat({'R', user, quantity, at_ms}, '|'))
return {'TAKEN'}
