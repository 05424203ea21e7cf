-- This node's share of what all nodes together may pass in a second: of
-- edge.global_qps. The control Redis holds what each node was given for this
-- second and the next, by its own clock, and gives no more than is left
-- (share_renewal.lua). So the sum over all nodes never exceeds the limit,
-- whatever their clocks say, and no request asks Redis.
--
-- What was given is never taken back within its second: a node that has just
-- started may have nothing for one to three, and says so by its health
-- (is_waiting). A node that is cut off goes on with its fallback, which the
-- others leave to it as long as it may, and then is closed.
--
-- In seckill_rates:
-- passed:CALL:SECOND   unit: what passed in a second of Redis's clock
--
-- In seckill_state, besides what share_renewal.lua writes:
-- in_vain     somebody was refused while the share was 0; a second

local monotonic = require "seckill.limit.monotonic"
local tally = require "seckill.limit.tally"
local view = require "seckill.config.view"

local floor, max, min = math.floor, math.max, math.min
local now = ngx.now
local rates = ngx.shared.seckill_rates
local state = ngx.shared.seckill_state

local IN_VAIN_SECONDS = 1
local PASSED_SECONDS = 3

local _M = { CUT_OFF_SECONDS = 5 }

local text, share = nil, { ahead = 0, nodes = 0 }
local at = 0  -- Redis's clock when it was asked for last

-- Of two seconds in a row the smaller share: what grows here was another's a
-- moment ago, and has passed there. A node alone takes nobody's.
local function most_of(before, given)
    return share.nodes > 1 and min(before, given) or given
end

-- In every worker's poll timer, not on the path of a request. The text of a
-- share is numbers with blanks between them: by how many seconds Redis's clock
-- is ahead, the second, what was given for the one before it and what of that
-- might pass, what was given for it and the next, of it to an earlier instance,
-- the fallback, until when that holds (by Redis's clock), nodes and the limit
-- of all. till: the same by a clock of this machine that nobody sets.
function _M.look()
    local latest = state:get("share")
    if latest == text then
        return
    end
    text = latest
    local n = {}
    for number in (text or ""):gmatch("%S+") do
        n[#n + 1] = tonumber(number)
    end
    if #n < 11 then  -- none, or that of another build from before a reload
        n = {}
    end
    share = { ahead = n[1] or 0, second = n[2], last = n[3], last_most = n[4],
        now = n[5], next = n[6], before = n[7], fallback = n[8], ends = n[9],
        nodes = n[10] or 0, all = n[11],
        till = monotonic() + _M.CUT_OFF_SECONDS }
    if share.second then
        local mine = share.now - share.before
        share.most = { [0] = most_of(share.last, mine),
            most_of(mine, share.next), most_of(share.next, share.fallback) }
    end
end

-- Redis's clock, by which the seconds of shares are counted (seconds).
function _M.clock()
    at = now() + share.ahead
    return at
end

-- What this node may pass in any span of a second that ends in the second that
-- clock() told last; nil: it was cut off for too long, or has not yet heard. It
-- does not look at the clock again: each look is a tail call, of which a trace
-- of LuaJIT has 15 at most.
function _M.limit()
    if not share.second then  -- this worker has just started
        _M.look()
    end
    local second = share.second
    local most = second and (share.most[floor(at) - second]
        or at < share.ends and monotonic() < share.till and share.fallback)
    return most and min(most, view.node_qps()) or nil
end

-- The same, of now: as the view has read the clock for this request.
function _M.limit_now()
    at = view.at + share.ahead
    return _M.limit()
end

-- Somebody was refused. Of a share of 0 no window tells that it is wanted.
function _M.refused()
    if _M.limit() == 0 then
        state:safe_set("in_vain", true, IN_VAIN_SECONDS)
    end
end

-- One of these passed: "path" or "deduct", which are limited apart. Should
-- there be no room to write it down, this node asks for less.
function _M.passed(call)
    tally.add(rates, "passed:" .. call .. ":" .. floor(at), 1, 0,
        PASSED_SECONDS)
end

-- The most that passed in that second, of attempts or of calls for a path.
function _M.used(second)
    return max(rates:get("passed:deduct:" .. second) or 0,
        rates:get("passed:path:" .. second) or 0)
end

-- What the last renewal gave, as look() reads it; without second: nothing yet.
function _M.told()
    return share
end

-- This node has started and has no share yet, but will soon.
function _M.is_waiting()
    return (state:get("since") or 0) > 0
end

-- How many nodes share, this one among them, as it heard last.
function _M.nodes()
    return max(1, share.nodes)
end

-- For those who look at this node: its share (nil: none) and how many nodes
-- share.
function _M.known()
    _M.look()
    _M.clock()
    return _M.limit(), share.nodes
end

return _M
