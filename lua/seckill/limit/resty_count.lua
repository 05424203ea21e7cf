-- resty.limit.count in a chain: `limit` of a key in a window, which begins with
-- its first take.
--
-- NAME:KEY   unit: takes that are left; gone with its window. No room is an
--   error.
--
-- Theirs has no limit of 0, charges what it refuses, pushes others out of a
-- full dict, and gives back to a window that the take was not of.

local count = require "resty.limit.count"
local tally = require "seckill.limit.tally"

local now = ngx.now

local _M = {}
local MT = { __index = _M }

-- As theirs, and the name of its keys.
function _M.new(dict_name, name, limit, window_s)
    return setmetatable({
        prefix = name .. ":",
        theirs = limit > 0 and assert(count.new(dict_name, limit, window_s)),
    }, MT)
end

-- 0 and when the window ends; nil and "rejected"; nil and an error. Without
-- commit nothing is taken.
function _M:incoming(key, commit)
    local theirs, name = self.theirs, self.prefix .. key
    if not theirs then
        return nil, "rejected"
    elseif not commit then
        return theirs:incoming(name, false)
    end
    local dict = theirs.dict
    local left, err = tally.add(dict, name, 0, theirs.limit, theirs.window)
    if not left then
        return nil, err
    end
    local delay, told = theirs:incoming(name, true)
    if delay then
        return delay, now() + (dict:ttl(name) or 0)
    elseif told == "rejected" then
        theirs:uncommit(name)
    end
    return nil, told
end

-- Gives one back, unless its window has ended. Another worker may have begun
-- the next one, and its clock be ahead: so asked is which window is there.
function _M:uncommit(key, ends_at)
    local theirs, name = self.theirs, self.prefix .. key
    local ends_in = theirs.dict:ttl(name)
    if not ends_in or ends_in <= 0 or ends_at
            and now() + ends_in > ends_at + theirs.window / 2 then
        return true
    end
    return theirs:uncommit(name)
end

return _M
