-- Token bucket and leaky bucket: `limit` of a key in a second on average, over
-- all workers of the node, because shdict:incr alone decides.
--
-- NAME:KEY   the time at which all that was taken is paid for, at `limit` a
--   second (seconds of the clock); gone LONGER_SECONDS after that, and only a
--   dict of nothing but such times gives back their room then. No room is an
--   error.
-- NAME:KEY!  a worker brings it up to date; LOCK_SECONDS, should it be killed
--
-- Token bucket: what was not taken is saved, up to `burst_s` of it and one at
-- least. In any span of T seconds limit * T + limit * burst_s pass.
-- Leaky bucket: nothing is saved. Who comes early waits, for `burst_s` at most,
-- and is refused beyond; so they leave one by one, limit * T + 1 in any span.
--
-- A refused take is taken back at once; in between, a racing one may be refused
-- as well, and so is one that meets NAME:KEY!.

local monotonic = require "seckill.limit.monotonic"
local tally = require "seckill.limit.tally"

local floor, max = math.floor, math.max

local LOCK_SECONDS = 0.05
local LONGER_SECONDS = 1  -- should the time be set ahead (clock_step.lua)
local ROUNDING = 1e-9

-- More than all workers together can have taken and not yet given back.
local IMPOSSIBLE = 200

local _M = {}
local MT = { __index = _M }

-- limit_of(key): the limit in force, nil when that is not known. clock():
-- seconds of one clock for all workers, small enough for fractions.
function _M.new(dict, name, limit_of, burst_s, is_leaky, clock)
    return setmetatable({
        dict = dict,
        prefix = name .. ":",
        limit_of = limit_of,
        burst_s = burst_s,
        is_leaky = is_leaky,
        clock = clock or monotonic,
    }, MT)
end

-- How far ahead of the clock the next one may be.
local function ahead_of(self, limit)
    if self.is_leaky then
        return self.burst_s + ROUNDING
    end
    return (max(1, floor(limit * self.burst_s)) - 1) / limit + ROUNDING
end

-- As long as what was taken may be unpaid, and more.
local function kept_for(self, interval)
    return max(self.burst_s, interval) + interval + LONGER_SECONDS
end

-- Would one more of this key pass now? Takes nothing; an error is not told.
function _M:has_room(key)
    local limit = self.limit_of(key) or 0
    local paid_at = self.dict:get(self.prefix .. key) or 0
    return limit > 0 and paid_at - self.clock() <= ahead_of(self, limit)
end

-- A bucket that was not used for a moment is behind the clock, and brought up
-- to date by one worker. nil and why: another is at it, or there is no room.
local function catch_up(dict, name, at)
    if (dict:get(name) or at) >= at then
        return true
    end
    local ok, err = dict:safe_add(name .. "!", true, LOCK_SECONDS)
    if not ok then
        return nil, err == "exists" and "rejected" or err
    end
    local behind = at - (dict:get(name) or at)
    if behind > 0 then
        dict:incr(name, behind)
    end
    dict:delete(name .. "!")
    return true
end

-- The delay in seconds and what it cost; nil and "rejected"; nil and an error.
-- Without commit nothing is taken.
function _M:incoming(key, commit)
    local limit = self.limit_of(key)
    if not limit then
        return nil, "limit unknown"
    elseif limit == 0 or not commit and not self:has_room(key) then
        return nil, "rejected"
    elseif not commit then
        return 0
    end
    local name, interval, at = self.prefix .. key, 1 / limit, self.clock()
    local paid_at
    local ok, err = catch_up(self.dict, name, at)
    if ok then
        paid_at, err = tally.add(self.dict, name, interval, at,
            kept_for(self, interval))
    end
    if not paid_at then
        return nil, err
    end
    local ahead = max(0, paid_at - interval - at)
    if ahead > ahead_of(self, limit) then
        self.dict:incr(name, -interval)
        if ahead > self.burst_s + IMPOSSIBLE * interval + 1 then
            self.dict:delete(name)  -- of a limit that was far lower
        end
        return nil, "rejected"
    end
    self.dict:expire(name, kept_for(self, interval))
    return self.is_leaky and ahead or 0, interval
end

-- Gives back one, of what it cost.
function _M:uncommit(key, interval)
    interval = interval or 1 / max(1, self.limit_of(key) or 1)
    return self.dict:incr(self.prefix .. key, -interval)
end

return _M
