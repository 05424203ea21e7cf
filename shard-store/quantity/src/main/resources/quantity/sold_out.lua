#!lua
-- Says that nothing is left of a product, unless units came since its version
-- was read: whoever asked the shards after that has seen all that came before.
--
-- Answers 1: it is said, or was; 0: units came, or there is no such sale
local sale, changes = KEYS[1], KEYS[2]
local version, product, most = ARGV[1], ARGV[2], ARGV[3]

local known = redis.call('HMGET', sale, 'sold_out', 'stock_version')
if not known[1] or (known[2] or '0') ~= version then
    return 0
end
if known[1] ~= '1' then
    redis.call('XADD', changes, 'MAXLEN', '~', most, '*',
        'product_id', product)
    redis.call('HSET', sale, 'sold_out', '1')
end
return 1
