-- The script by which the control Redis gives a node its share (share.lua).
--
-- KEYS: the hash of nodes, a field each: INSTANCE ALL WANTED FALLBACK SEEN_MS
-- SECOND NOW NEXT BEFORE. NOW and NEXT are given for SECOND and the one after
-- it, and BEFORE of NOW to an earlier instance of the node, which may have
-- passed it. ALL is the limit of which all this was given, and shrinks with it.
-- ARGV: node, instance, what it wants, the limit, how long a silent node is
-- kept, and such a field of what it was told last, with the number of nodes as
-- WANTED: for a Redis that has lost it.
-- Reply: this Redis's time, SECOND, NOW, NEXT, BEFORE, FALLBACK, nodes.

return [[
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local second = tonumber(time[1])
local node, instance = ARGV[1], ARGV[2]
local wanted, all, kept_ms = tonumber(ARGV[3]), tonumber(ARGV[4]),
    tonumber(ARGV[5])

local function read(text)
    local who, rest = text:match('^(%x+) ([%d ]+)$')
    local n = {}
    for number in (rest or ''):gmatch('%d+') do n[#n + 1] = tonumber(number) end
    if #n ~= 8 then return nil end
    local part = n[1] > all and all / n[1] or 1
    return {who = who, wanted = n[2], fallback = math.floor(n[3] * part),
        seen = n[4], second = n[5], now = math.floor(n[6] * part),
        next = math.floor(n[7] * part), before = math.floor(n[8] * part)}
end
local function may_pass(one, at)
    return at == one.second and one.now
        or at == one.second + 1 and one.next or one.fallback
end

local mine, wants, held, held_next, fallbacks = nil, {wanted}, 0, 0, 0
local found = redis.call('HGETALL', KEYS[1])
for i = 1, #found, 2 do
    local one = read(found[i + 1])
    if found[i] == node then
        mine = one
    elseif one and now_ms - one.seen < kept_ms then
        wants[#wants + 1] = one.wanted
        held = held + may_pass(one, second)
        held_next = held_next + may_pass(one, second + 1)
        fallbacks = fallbacks + one.fallback
    else
        redis.call('HDEL', KEYS[1], found[i])
    end
end

local known = read(ARGV[6])
local is_lost = not mine and known.wanted > 1
local was = mine or known
local given, given_next, before = may_pass(was, second), 0, 0
if was.who ~= instance then
    before = given
elseif was.second == second then
    given_next, before = was.next, was.before
end

table.sort(wants)
local left, count, target = all, #wants, nil
for i, want in ipairs(wants) do
    local even = left / (count - i + 1)
    if want > even then target = math.min(wanted, even) break end
    left = left - want
end
target = math.ceil(target or wanted + left / count)
if is_lost then target = 0 end
given = math.max(given, math.min(target, all - held))
given_next = math.max(given_next, math.min(target, all - held_next))
local fallback = math.max(0, math.min(math.floor(all / count),
    all - fallbacks))
redis.call('HSET', KEYS[1], node, table.concat({instance,
    string.format('%.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f', all, wanted,
        math.max(fallback, known.fallback), now_ms, second, given, given_next,
        before)}, ' '))
redis.call('PEXPIRE', KEYS[1], kept_ms)
return {now_ms, second, given, given_next, before, fallback, count}
]]
