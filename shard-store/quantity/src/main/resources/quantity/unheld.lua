#!lua flags=no-writes
-- Which of these reservations hold no units here.
--
-- Answers {epoch, id...}, or {}: the gate is closed
local stock, reservations = KEYS[1], KEYS[2]

-- A replica that is not promoted yet has its master's id, and less than it.
local function is_open(identity)
    local info = identity and redis.call('INFO', 'replication')
    return info and info:find('role:master\r\n', 1, true)
        and info:find('master_replid:' .. identity .. '\r\n', 1, true)
end

local known = redis.call('HMGET', stock, 'open_for', 'epoch')
if not is_open(known[1]) then
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
