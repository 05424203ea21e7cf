-- Fixed window: at most `limit` of a key in each second of the server's
-- clock, exact over all workers of the node, because shdict:incr alone
-- decides.
--
-- NAME:KEY:SECOND   unit: takes; gone after TTL_SECONDS, and only a dict of
--   nothing but windows gives back their room then. No room is an error.
--
-- A refused take is taken back at once; in between, a racing take may be
-- refused as well, but none beyond the limit passes. Two windows side by side
-- may pass 2 x limit in one span of a second that crosses their edge.

local tally = require "seckill.limit.tally"

local floor = math.floor

local TTL_SECONDS = 3

local _M = {}
local MT = { __index = _M }

-- limit_of(key): the limit in force, nil when that is not known. clock():
-- seconds, ngx.now by default.
function _M.new(dict, name, limit_of, clock)
    return setmetatable({
        dict = dict,
        prefix = name .. ":",
        limit_of = limit_of,
        clock = clock or ngx.now,
    }, MT)
end

local function window_of(self, key)
    return self.prefix .. key .. ":" .. floor(self.clock())
end

-- Would one more of this key pass now? Takes nothing; an error is not told.
-- For keys that are few: their windows' names are kept for a second.
function _M:has_room(key)
    local second = floor(self.clock())
    if second ~= self.second then
        self.second, self.windows = second, {}
    end
    local window = self.windows[key]
    if not window then
        window = window_of(self, key)
        self.windows[key] = window
    end
    return (self.dict:get(window) or 0) < (self.limit_of(key) or 0)
end

-- 0 and the window; nil and "rejected"; nil and an error. Without commit
-- nothing is taken.
function _M:incoming(key, commit)
    local window = window_of(self, key)
    local limit = self.limit_of(key)
    if not limit then
        return nil, "limit unknown"
    elseif not commit then
        if (self.dict:get(window) or 0) < limit then
            return 0, window
        end
        return nil, "rejected"
    end
    local count, err = tally.add(self.dict, window, 1, 0, TTL_SECONDS)
    if not count then
        return nil, err
    end
    if count > limit then
        self.dict:incr(window, -1)
        return nil, "rejected"
    end
    return 0, window
end

-- Gives one back: to the window it was taken from, or to the present one.
function _M:uncommit(key, window)
    return self.dict:incr(window or window_of(self, key), -1)
end

return _M
