#!lua flags=no-writes
-- What stock-service published of one sale: field, value, field, value …; empty: there is none.
return redis.call('HGETALL', KEYS[1])
