-- Sliding window: at most `limit` of a key in any span of a second, exact over
-- all workers of the node, because shdict:incr alone decides.
--
-- NAME:KEY:SLOT   unit: takes in a fortieth of a second, gone after
--   TTL_SECONDS, and only a dict of nothing but such windows gives back their
--   room then. No room is an error.
--
-- A take first counts itself in its slot and then looks at the last SLOTS + 1,
-- and at two ahead, should another worker's clock be that much newer: so of
-- those that race, the last to look sees all. A refused take is taken back at
-- once; in between, a racing one may be refused as well. Of a crowd that takes
-- all there is at once the next begin when the first slot has gone by, so
-- SLOTS / (SLOTS + 1) of the limit pass.

local monotonic = require "seckill.limit.monotonic"
local tally = require "seckill.limit.tally"

local floor = math.floor

local SLOTS = 40
local TTL_SECONDS = 2  -- a second, and one more (clock_step.lua)
local WARM_UP = 3

local _M = {}
local MT = { __index = _M }

-- The slots by name that are still added to, and how many were taken in the
-- others, and in all before its own when it began.
local function new_span(dict, name, slot)
    local past = 0
    for earlier = slot - SLOTS, slot - 3 do
        past = past + (dict:get(name .. earlier) or 0)
    end
    local span = { last_but_one = name .. slot - 2, last = name .. slot - 1,
        own = name .. slot, next = name .. slot + 1,
        next_but_one = name .. slot + 2, past = past }
    span.before = past + (dict:get(span.last_but_one) or 0)
        + (dict:get(span.last) or 0)
    return span
end

-- limit_of(key): the limit in force, nil when that is not known. clock():
-- seconds of one clock for all workers.
function _M.new(dict, name, limit_of, clock)
    for _ = 1, WARM_UP do  -- compiles its loop, or requests' traces end there
        new_span(dict, "", 0)
    end
    return setmetatable({
        dict = dict,
        prefix = name .. ":",
        limit_of = limit_of,
        clock = clock or monotonic,
        spans = {},
    }, MT)
end

-- Kept for as long as the slot lasts.
local function span_of(self, key)
    local slot = floor(self.clock() * SLOTS)
    if slot ~= self.slot then
        self.slot, self.spans = slot, {}
    end
    local span = self.spans[key]
    if not span then
        span = new_span(self.dict, self.prefix .. key .. ":", slot)
        self.spans[key] = span
    end
    return span
end

local function beside(dict, span)
    return span.past + (dict:get(span.last_but_one) or 0)
        + (dict:get(span.last) or 0) + (dict:get(span.next) or 0)
        + (dict:get(span.next_but_one) or 0)
end

-- Would one more of this key pass now, as far as one look tells? Takes nothing;
-- an error is not told.
function _M:has_room(key)
    local span = span_of(self, key)
    return span.before + (self.dict:get(span.own) or 0)
        < (self.limit_of(key) or 0)
end

-- 0 and the slot; nil and "rejected"; nil and an error. Without commit nothing
-- is taken.
function _M:incoming(key, commit)
    local limit = self.limit_of(key)
    if not limit then
        return nil, "limit unknown"
    elseif not commit then
        if self:has_room(key) then
            return 0
        end
        return nil, "rejected"
    end
    local dict, span = self.dict, span_of(self, key)
    local count, err = tally.add(dict, span.own, 1, 0, TTL_SECONDS)
    if not count then
        return nil, err
    end
    if count + beside(dict, span) > limit then
        dict:incr(span.own, -1)
        return nil, "rejected"
    end
    return 0, span.own
end

-- Gives one back: to the slot it was taken from, or to the present one.
function _M:uncommit(key, slot)
    return tally.add(self.dict, slot or span_of(self, key).own, -1, 0,
        TTL_SECONDS)
end

return _M
