#!lua flags=allow-oom
-- Deletes entries of an outbox that were handed over. The address may have
-- come to lead to another server since they were read, which has others
-- under their ids: an entry whose field does not say the same stays.
--
-- Answers {word}: DONE
local MOST = 1000 -- with those in between, which others hand over
local outbox, field = KEYS[1], ARGV[1]

local told = {}
for i = 2, #ARGV, 2 do
    told[ARGV[i]] = ARGV[i + 1]
end
local done = {}
for _, entry in ipairs(redis.call('XRANGE', outbox, ARGV[2], ARGV[#ARGV - 1],
    'COUNT', MOST)) do
    local id, says = entry[1], entry[2]
    for i = 1, #says, 2 do
        if says[i] == field and says[i + 1] == told[id] then
            done[#done + 1] = id
        end
    end
end
if #done > 0 then
    redis.call('XDEL', outbox, unpack(done))
end
return {'DONE'}
