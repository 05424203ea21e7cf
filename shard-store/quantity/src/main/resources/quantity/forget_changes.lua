#!lua
-- Deletes a product's entries from the list of changes, which is short.
local changes, product = KEYS[1], ARGV[1]

for _, change in ipairs(redis.call('XRANGE', changes, '-', '+')) do
    if change[2][2] == product then
        redis.call('XDEL', changes, change[1])
    end
end
return 1
