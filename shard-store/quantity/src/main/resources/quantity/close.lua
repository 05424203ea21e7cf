#!lua flags=allow-oom
-- Sells nothing of a product in this shard any more, until it is opened again.
-- What is no stock at all is removed.
local stock = KEYS[1]

if redis.call('TYPE', stock).ok == 'hash' then
    redis.call('HDEL', stock, 'open_for')
else
    redis.call('DEL', stock)
end
return {'CLOSED'}
