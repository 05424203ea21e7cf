#!lua flags=no-writes
-- Reads everything that counts units of a product, in one instant.
--
-- Answers {available, init, deducted, returned, burned, epoch},
-- {id, reservation, ...}, {user, id, ...}, outbox length
return {
    redis.call('HMGET', KEYS[1],
        'available', 'init', 'deducted', 'returned', 'burned', 'epoch'),
    redis.call('HGETALL', KEYS[3]),
    redis.call('HGETALL', KEYS[2]),
    redis.call('XLEN', KEYS[4]),
}
