-- This node's share of what all nodes together may pass in a second: of
-- edge.global_qps. The control Redis holds what each node was given for this
-- second and the next, by its own clock, and one script gives no more than is
-- left. So the sum over all nodes never exceeds the limit, whatever their
-- clocks say, and no request asks Redis: the poller does, four times a second.
--
-- A node asks for what it passed lately and a quarter more, or for twice that
-- when its share was used up; shares are max-min fair, what nobody asks for is
-- split evenly. An idle node asks for a sixteenth of its even share, so that a
-- crowd that comes to it is not refused until the next second. What was given
-- is never taken back within its second: a node that has just started may have
-- nothing for one to three, and says so by its health (is_waiting). A node
-- that is cut off goes on with its fallback, which the others leave to it as
-- long as it may, and then is closed.
--
-- In seckill_rates:
-- passed:CALL:SECOND   unit: what passed in a second of Redis's clock
--
-- In seckill_state:
-- share       what the last renewal gave, as text (see look())
-- no_share    why the last renewal failed
-- since       the second of the first renewal, until is_waiting is over
-- in_vain     somebody was refused while the share was 0; a second

local forced = require "seckill.forced"
local redis_keys = require "seckill.config.redis_keys"
local renew = require "seckill.limit.share_script"
local tally = require "seckill.limit.tally"
local view = require "seckill.config.view"

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local now = ngx.now
local config = ngx.shared.seckill_config
local rates = ngx.shared.seckill_rates
local STATE = "seckill_state"
local state = ngx.shared[STATE]

local CUT_OFF_SECONDS = 5
local KEPT_MS = 6000  -- by Redis's clock, and later than the node stops
local AHEAD = 1.25
local NEARLY = 0.95    -- of a share is used up: not all windows pass all of it
local LEAST = 1 / 16   -- of an even share
local LEAP = 1 / 4     -- of all, for who has used up a share, at least
local START_SECONDS = 3
local IN_VAIN_SECONDS = 1
local PASSED_SECONDS = 3

local _M = {}

-- Who asks: NODE stays the same over a restart, INSTANCE over a reload.
local node, instance

-- At a start, before the workers are forked.
function _M.init()
    local file = io.open("/proc/sys/kernel/hostname")
    local host = file and file:read("*l") or ""
    if file then
        file:close()
    end
    node = ("%08x"):format(ngx.crc32_long(host .. ngx.config.prefix()))
    file = assert(io.open("/dev/urandom", "rb"))
    local id = ("%08x"):format(ngx.crc32_long(file:read(16)))
    forced.add(STATE, "instance", id)
    file:close()
    instance = state:get("instance")
end

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
-- of all.
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
        nodes = n[10] or 0, all = n[11] }
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
        or at < share.ends and share.fallback)
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

local function used(second)
    return max(rates:get("passed:deduct:" .. second) or 0,
        rates:get("passed:path:" .. second) or 0)
end

local function is_used_up(second, given)
    local passed = used(second)
    return passed >= (given or 1) * NEARLY
        and (passed > 0 or state:get("in_vain"))
end

-- What was given for that second, and what of it might pass.
local function given_in(second)
    local after = second - share.second
    if after < 0 then
        return share.last, share.last_most
    elseif after == 0 then
        return share.now - share.before, share.most[0]
    elseif after == 1 then
        return share.next, share.most[1]
    elseif second < share.ends then
        return share.fallback, share.most[after] or share.fallback
    end
    return 0, 0
end

local function wanted(all)
    local second = floor(_M.clock())
    local passed = max(used(second), used(second - 1))
    local last_most = share.second and select(2, given_in(second - 1))
    if is_used_up(second, _M.limit()) or is_used_up(second - 1, last_most) then
        local most = max(passed, share.next or 0)
        return min(all, ceil(max(most * 2, all * LEAP)))
    end
    local least = all * LEAST / max(1, share.nodes)
    return min(all, ceil(max(passed * AHEAD, least)))
end

local function whole(...)
    return (("%.0f "):rep(select("#", ...)):format(...):gsub(" $", ""))
end

local function known()
    if not share.second then
        return instance .. " 0 0 0 0 0 0 0 0"
    end
    return instance .. " " .. whole(share.all, share.nodes, share.fallback, 0,
        share.second, share.now, share.next, share.before)
end

-- What it was given for the second before this one, and what of that might
-- pass, as if the limit had been then what it is now: what it was raised by was
-- nobody's.
local function last_share(second, all)
    local was = share.all
    if not was then
        return 0, 0
    elseif was == 0 then
        return all, all
    end
    local last, most = given_in(second - 1)
    return floor(last * all / was), floor(most * all / was)
end

local function keep(reply, ahead, all, asked_at)
    local second = reply[2]
    local last, last_most = last_share(second, all)
    state:safe_set("share", ("%.3f "):format(ahead)
        .. whole(second, last, last_most, unpack(reply, 3, 6))
        .. (" %.3f "):format(asked_at + ahead + CUT_OFF_SECONDS)
        .. whole(reply[7], all))
    state:delete("no_share")
    forced.add(STATE, "since", second)
    if reply[3] > reply[5] and (reply[7] == 1 or last > 0) or all == 0
            or second >= state:get("since") + START_SECONDS then
        forced.set(STATE, "since", 0)
    end
end

-- This node has started and has no share yet, but will soon.
function _M.is_waiting()
    return (state:get("since") or 0) > 0
end

-- In the poller, once limits were read. nil and why: the connection failed.
-- That Redis refuses to write is no such failure; then it is as if cut off.
function _M.renew(client)
    local all = config:get("limit:edge.global_qps")
    if not all then
        return true
    end
    ngx.update_time()
    _M.look()
    local asked_at = now()
    local reply, err = client:eval(renew, 1, redis_keys.EDGES, node, instance,
        whole(wanted(all)), whole(all), KEPT_MS, known())
    ngx.update_time()
    if reply then
        keep(reply, reply[1] / 1000 - (asked_at + now()) / 2, all, asked_at)
    elseif state:get("no_share") ~= err then
        forced.set(STATE, "no_share", err)
        ngx.log(ngx.WARN, "no share of edge.global_qps: ", err, "; this node"
            .. " goes on with what the others leave to it for ",
            CUT_OFF_SECONDS, " s")
    end
    return reply ~= nil, err
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
