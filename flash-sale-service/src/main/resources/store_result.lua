-- Keeps the latest word about each of a user's reservations of one product.
-- Events come twice and out of order; a reservation's word never goes back:
-- what order-service has not told is rank 0, ORDERED 1, REJECTED and CANCELLED
-- are rank 2. Of so many reservations only the newest are kept (ids sort by
-- time), for as long as the sale lives: a result that expired would be PENDING
-- for ever. Of a sale that was removed nothing is kept.
local key, removed = KEYS[1], KEYS[2]
local id, rank, event = ARGV[1], ARGV[2], ARGV[3]
local max_kept = tonumber(ARGV[4])

if redis.call('EXISTS', removed) == 1 then
    return 0
end
local kept = redis.call('HGET', key, id)
if kept and kept:sub(1, 1) > rank then
    return 0
end
redis.call('HSET', key, id, rank .. ' ' .. event)
local ids = redis.call('HKEYS', key)
if #ids > max_kept then
    table.sort(ids)
    redis.call('HDEL', key, ids[1])
end
return 1
