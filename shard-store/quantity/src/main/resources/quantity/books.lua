#!lua flags=no-writes
-- Reads what counts units of a product, in one instant and in constant time:
-- what grows with the sale is read in pages, outside.
--
-- Answers {available, init, deducted, returned, burned, epoch, seq},
-- outbox length
return {
    redis.call('HMGET', KEYS[1], 'available', 'init', 'deducted', 'returned',
        'burned', 'epoch', 'seq'),
    redis.call('XLEN', KEYS[2]),
}
