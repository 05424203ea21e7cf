#!lua flags=allow-oom
-- Begins to rebuild a product from its live orders: forgets what was kept of
-- it, but never an outbox that can be read, whose buyers are still to be told,
-- nor how reservations ended, which stays true whatever the shard has lost.
-- From here on only pages of this epoch are taken.
--
-- Answers {word}: BEGUN, OTHER_REDIS (than the one that was read), CHANGED (a
-- later recovery has been here)
local stock, buyers, reservations, outbox = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local identity, epoch = ARGV[1], ARGV[2]

if not redis.call('INFO', 'replication')
        :find('master_replid:' .. identity .. '\r\n', 1, true) then
    return {'OTHER_REDIS'}
end
-- A million ahead is no recovery's, but somebody's own number.
local function is_later(text)
    local ahead = text and #text <= 9 and text:find('^[1-9]%d*$')
        and tonumber(text) - tonumber(epoch)
    return ahead and ahead >= 0 and ahead <= 1000000
end
if redis.call('TYPE', stock).ok == 'hash' then
    local known = redis.call('HMGET', stock, 'epoch', 'building')
    if is_later(known[1]) or is_later(known[2]) then
        return {'CHANGED'}
    end
end
redis.call('UNLINK', stock, buyers, reservations)
if redis.call('TYPE', outbox).ok ~= 'stream' then
    redis.call('DEL', outbox)
end
redis.call('HSET', stock, 'building', epoch)
return {'BEGUN'}
