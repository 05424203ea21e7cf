#!lua
-- Puts a product's units into this shard, once, and opens its gate for this
-- very Redis process. What is there is never reset, whatever the numbers say,
-- also not when it is damaged.
--
-- Answers {word}: LOADED, ALREADY_LOADED, OTHER_EPOCH
local stock, epoch, quantity = KEYS[1], ARGV[1], ARGV[2]

local loaded = redis.call('HGET', stock, 'epoch')
if loaded or redis.call('EXISTS', stock) == 1 then
    return {loaded == epoch and 'ALREADY_LOADED' or 'OTHER_EPOCH'}
end
local identity = redis.call('INFO', 'replication'):match('master_replid:(%x+)')
redis.call('HSET', stock, 'available', quantity, 'init', quantity,
    'deducted', 0, 'returned', 0, 'burned', 0, 'epoch', epoch, 'seq', 0,
    'guests', 0, 'rebuilt', epoch, 'open_for', identity)
return {'LOADED'}
