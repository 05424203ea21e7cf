#!lua flags=no-writes
-- Reads a page of the reservations that hold units, for those who compare.
-- Which page, which epoch and whether the gate is open are of one instant.
--
-- Answers {epoch, init, next cursor, how many were looked at, id...}: those in
-- state R that were made before a time
-- or {}: the gate is closed
local stock, reservations = KEYS[1], KEYS[2]
local cursor, count, before_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])

-- A replica that is not promoted yet has its master's id, and less than it.
local function is_open(identity)
    local info = identity and redis.call('INFO', 'replication')
    return info and info:find('role:master\r\n', 1, true)
        and info:find('master_replid:' .. identity .. '\r\n', 1, true)
end

local known = redis.call('HMGET', stock, 'open_for', 'epoch', 'init')
if not is_open(known[1]) then
    return {}
end

local page = redis.call('HSCAN', reservations, cursor, 'COUNT', count)
local flat = page[2]
local answer = {known[2] or '0', known[3] or '0', page[1],
    string.format('%d', #flat / 2)}
for i = 1, #flat, 2 do
    local made_ms = flat[i + 1]:match('^R|[^|]*|[^|]*|(%d+)|')
    if made_ms and tonumber(made_ms) < before_ms then
        answer[#answer + 1] = flat[i]
    end
end
return answer
