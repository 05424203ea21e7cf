-- resty.limit.req in a chain: a leaky bucket of `rate` a second. Who comes
-- early waits, for `burst` others at most. Not exact over workers: theirs
-- reads, then writes.
--
-- NAME:KEY   their record; gone once it would be as good as none. No room is
--   an error.
--
-- Theirs has no rate of 0, fails where the key is another's, keeps records for
-- ever, pushes others out of a full dict, and gives nothing back of a take that
-- did not wait.

local ffi = require "ffi"
local req = require "resty.limit.req"
local tally = require "seckill.limit.tally"

local max, min = math.max, math.min

local LONGER_SECONDS = 1  -- an expiry below 1 ms would be none
local ONE = 1000  -- of what they count in
local RECORD = ffi.new "struct lua_resty_limit_req_rec"
local SIZE = ffi.sizeof(RECORD)
local EMPTY = ("\0"):rep(SIZE)  -- of long ago

local _M = {}
local MT = { __index = _M }

-- As theirs, and the name of its keys.
function _M.new(dict_name, name, rate, burst)
    return setmetatable({
        prefix = name .. ":",
        theirs = rate > 0 and assert(req.new(dict_name, rate, burst)),
        kept_s = (burst + 1) / rate + LONGER_SECONDS,
    }, MT)
end

-- The delay in seconds and how many are ahead; nil and "rejected"; nil and an
-- error. Without commit nothing is taken.
function _M:incoming(key, commit)
    local theirs, name = self.theirs, self.prefix .. key
    if not theirs then
        return nil, "rejected"
    elseif commit then
        local ok, err = tally.put(theirs.dict, name, EMPTY, self.kept_s)
        if not ok and err ~= "exists" then
            return nil, err
        end
    end
    local delay, told = theirs:incoming(name, commit)
    if delay and commit then
        theirs.dict:expire(name, self.kept_s)
    end
    return delay, told
end

-- Gives one back: of the excess, and what that has not of the time.
function _M:uncommit(key)
    local dict, name = self.theirs.dict, self.prefix .. key
    local was = dict:get(name)
    if type(was) ~= "string" or #was ~= SIZE then
        return true  -- it has expired
    end
    ffi.copy(RECORD, was, SIZE)
    local excess = tonumber(RECORD.excess) - ONE
    RECORD.excess = max(excess, 0)
    RECORD.last = tonumber(RECORD.last)
        + min(excess, 0) / self.theirs.rate * 1000
    return dict:replace(name, ffi.string(RECORD, SIZE), self.kept_s)
end

return _M
