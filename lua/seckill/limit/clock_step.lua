-- Has the time of day been set ahead a moment ago? A shared dict's entries
-- expire by it, so limiters of rates have lost what passed in the last second;
-- this worker is blind then, for BLIND_SECONDS, after which nothing has passed
-- in the last second. (A time set back is no loss: entries stay too long.)
--
-- Looked at once per turn of nginx's loop, before a dict is: by the clock that
-- dicts go by, so who sees their entries expired is blind already. A step is
-- what the two clocks have grown apart since a timer has noted both, 25 ms ago,
-- so neither a slow correction of the time nor a stopped worker is one.

local monotonic = require "seckill.limit.monotonic"

local now = ngx.now
local update_time = ngx.update_time

local STEP_SECONDS = 0.9  -- what limiters keep is kept for a second too long
local BLIND_SECONDS = 1.1

local _M = {}

local noted_at, noted, blind_until = 0, 0, 0

-- At a worker's start, which may be long after nginx's. The time is read anew,
-- for what nginx has read may be old already.
function _M.start()
    update_time()
    noted_at, noted = now(), monotonic()
end

-- at: ngx.now().
function _M.is_blind(at)
    if at - noted_at >= STEP_SECONDS then
        local clock = monotonic()
        if at - noted_at - (clock - noted) >= STEP_SECONDS then
            blind_until = clock + BLIND_SECONDS
        end
    end
    return blind_until > 0 and monotonic() < blind_until
end

-- In a timer of each worker.
function _M.note()
    update_time()
    _M.is_blind(now())
    _M.start()
end

return _M
