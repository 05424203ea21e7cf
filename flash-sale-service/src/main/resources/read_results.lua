#!lua flags=no-writes
-- What is kept about a user's reservations of one product; store_result.lua.
return redis.call('HVALS', KEYS[1])
