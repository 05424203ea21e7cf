#!lua
-- Says that units of a product came, or may have. Called after they have: so
-- the version is a new one, and what was found before them closes nothing.
--
-- Answers 1; 0: there is no such sale
local sale, changes = KEYS[1], KEYS[2]
local product, most = ARGV[1], ARGV[2]

local known = redis.call('HMGET', sale, 'sold_out', 'stock_version')
if not known[1] then
    return 0
end
local version = known[2]
if not (version and #version <= 14 and version:find('^%d+$')) then
    version = 0
end
redis.call('XADD', changes, 'MAXLEN', '~', most, '*', 'product_id', product)
redis.call('HSET', sale, 'sold_out', '0',
    'stock_version', string.format('%.0f', version + 1))
return 1
