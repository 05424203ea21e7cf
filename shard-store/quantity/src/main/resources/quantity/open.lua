#!lua flags=allow-oom
-- Opens a product in this Redis, in its next epoch: its data was compared with
-- the books, and nothing has changed since.
--
-- Answers {word}: OPENED, OTHER_REDIS (than the one that was read), CHANGED
local stock, identity, epoch = KEYS[1], ARGV[1], ARGV[2]
local read_epoch, read_seq, read_init = ARGV[3], ARGV[4], ARGV[5]

if not redis.call('INFO', 'replication')
        :find('master_replid:' .. identity .. '\r\n', 1, true) then
    return {'OTHER_REDIS'}
end
local now = redis.call('HMGET', stock, 'epoch', 'seq', 'init')
if now[1] ~= read_epoch or now[2] ~= read_seq or now[3] ~= read_init then
    return {'CHANGED'}
end
redis.call('HSET', stock, 'epoch', epoch, 'open_for', identity)
return {'OPENED'}
