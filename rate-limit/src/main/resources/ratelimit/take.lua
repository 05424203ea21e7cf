#!lua
-- Takes one permit of a bucket, perhaps of the near future.
--
-- A bucket gains PER_SECOND credits in each microsecond, a permit costs a
-- million of them. What is not used is stored, for so many seconds at most.
-- Who takes more than is stored is given it at once, and the bucket is free
-- again when that has been gained: the next one waits for it. So in T seconds
-- at most PER_SECOND * (T + burst) + 1 permits begin. Whole numbers only, by
-- this Redis's clock.
--
-- ARGV: who asks, or nothing where it said so a moment ago; permits a second,
-- seconds of burst, longest wait (us)
-- Answers {1 or 0, ms to wait before the call, or until asking may help,
-- instances that have said so in the last 15 s, or 0}
local bucket, instances = KEYS[1], KEYS[2]
local per_second, burst_s = tonumber(ARGV[2]), tonumber(ARGV[3])
local longest_us = tonumber(ARGV[4])
local PERMIT = 1000000
local FARTHEST_US = 61000000 -- no wait is longer

local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2]

local known = 0
if ARGV[1] ~= '' then
    if redis.call('TYPE', instances).ok ~= 'zset' then
        redis.call('DEL', instances) -- a hand's: else nobody would share at all
    end
    redis.call('ZADD', instances, time[1], ARGV[1])
    redis.call('ZREMRANGEBYSCORE', instances, '-inf', time[1] - 15)
    redis.call('EXPIRE', instances, 15)
    known = redis.call('ZCARD', instances)
end

local function whole(text)
    return text and #text <= 16 and text:find('^%d+$') and tonumber(text)
end

local kept = redis.pcall('HMGET', bucket, 'credit', 'free_us')
if kept.err then
    redis.call('DEL', bucket)
    kept = {}
end
local full = burst_s * per_second * PERMIT
local credit, free_us = whole(kept[1]), whole(kept[2])
if not credit or not free_us or free_us > now_us + FARTHEST_US then
    credit, free_us = full, now_us -- nobody has asked, or it is no bucket
end
if now_us > free_us then
    local gained_us = math.min(now_us - free_us, (burst_s + 1) * 1000000)
    credit, free_us = credit + gained_us * per_second, now_us
end
credit = math.min(credit, full)

local wait_us = free_us - now_us
if wait_us > longest_us then
    return {0, math.ceil((wait_us - longest_us) / 1000), known}
end
if credit < PERMIT then
    local gain_us = math.ceil((PERMIT - credit) / per_second)
    credit, free_us = credit + gain_us * per_second, free_us + gain_us
end
local function text(number)
    return string.format('%.0f', number)
end
redis.call('HSET', bucket, 'credit', text(credit - PERMIT), 'free_us', text(free_us))
redis.call('PEXPIRE', bucket,
    text(math.ceil((free_us - now_us) / 1000) + (burst_s + 1) * 1000))
return {1, math.ceil(wait_us / 1000), known}
