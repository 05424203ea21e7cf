#!lua flags=allow-oom
-- Brings units that were added to this shard's part of a product, each change
-- once: changes come in the order of their ids.
--
-- Answers {word}:
--   DONE   now or before, or the product was rebuilt since and counted them
--   WAITS  gated, not loaded, or this shard has yet to learn of that epoch
local stock, id, epoch, units = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local known = redis.call('HMGET', stock,
    'available', 'init', 'epoch', 'changed', 'open_for')
local available, init, now, changed, open_for = unpack(known)
if not (open_for and redis.call('INFO', 'replication')
        :find('master_replid:' .. open_for .. '\r\n', 1, true)) then
    return {'WAITS'}
end
changed = changed or '0'
for _, text in ipairs({available or '', init or '', now or '', changed}) do
    if #text > 15 or not (text == '0' or text:find('^[1-9]%d*$')) then
        return redis.error_reply('DAMAGED ' .. stock .. ' has a wrong counter')
    end
end
if tonumber(now) < tonumber(epoch) then
    return {'WAITS'}
end
if tonumber(now) == tonumber(epoch) and tonumber(changed) < tonumber(id) then
    redis.call('HSET', stock,
        'available', string.format('%.0f', available + units),
        'init', string.format('%.0f', init + units),
        'changed', id)
end
return {'DONE'}
