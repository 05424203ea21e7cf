#!lua flags=no-writes
-- Which of these reservations hold no units here.
--
-- Answers {epoch, id...}, or {}: the gate is closed
local stock, reservations = KEYS[1], KEYS[2]

local known = redis.call('HMGET', stock, 'open_for', 'epoch')
if not (known[1] and redis.call('INFO', 'replication')
        :find('master_replid:' .. known[1] .. '\r\n', 1, true)) then
    return {}
end

local answer = {known[2] or '0'}
local kept = redis.call('HMGET', reservations, unpack(ARGV))
for i, id in ipairs(ARGV) do
    if not kept[i] or kept[i]:sub(1, 2) ~= 'R|' then
        answer[#answer + 1] = id
    end
end
return answer
