#!lua
-- Puts a product's units into this shard, once, and opens its gate for this
-- very Redis process. What is there is never reset, whatever the numbers say,
-- also not when it is damaged. Where another key of it is of a wrong type
-- nobody could buy, so nothing is put there.
--
-- Answers {word}: LOADED, ALREADY_LOADED, OTHER_EPOCH
local stock, buyers, reservations, outbox = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local epoch, quantity = ARGV[1], ARGV[2]

local function demand(key, kind)
    local found = redis.call('TYPE', key).ok
    if found ~= 'none' and found ~= kind then
        return redis.error_reply('WRONGTYPE ' .. key .. ' is a ' .. found)
    end
end

local wrong = demand(stock, 'hash')
if wrong then
    return wrong
end

local loaded = redis.call('HGET', stock, 'epoch')
if loaded or redis.call('EXISTS', stock) == 1 then
    return {loaded == epoch and 'ALREADY_LOADED' or 'OTHER_EPOCH'}
end
wrong = demand(buyers, 'hash') or demand(reservations, 'hash')
    or demand(outbox, 'stream')
if wrong then
    return wrong
end
local identity = redis.call('INFO', 'replication'):match('master_replid:(%x+)')
redis.call('HSET', stock, 'available', quantity, 'init', quantity,
    'deducted', 0, 'returned', 0, 'burned', 0, 'epoch', epoch, 'seq', 0,
    'guests', 0, 'rebuilt', epoch, 'open_for', identity)
return {'LOADED'}
