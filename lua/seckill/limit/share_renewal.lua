-- How this node comes to its share of edge.global_qps (share.lua): the poller
-- asks for it, four times a second, by a script that gives no more than is left
-- (share_script.lua).
--
-- A node asks for what it passed lately and a quarter more, or for twice that
-- when its share was used up; shares are max-min fair, what nobody asks for is
-- split evenly. An idle node asks for a sixteenth of its even share, so that a
-- crowd that comes to it is not refused until the next second.
--
-- In seckill_state:
-- instance    which start of this node's nginx this is, for good
-- share       what the last renewal gave, as text (see share.look())
-- no_share    why the last renewal failed
-- since       the second of the first renewal, until is_waiting is over

local forced = require "seckill.forced"
local redis_keys = require "seckill.config.redis_keys"
local script = require "seckill.limit.share_script"
local share = require "seckill.limit.share"

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local now = ngx.now
local config = ngx.shared.seckill_config
local STATE = "seckill_state"
local state = ngx.shared[STATE]

local CUT_OFF_SECONDS = share.CUT_OFF_SECONDS
local KEPT_MS = 6000  -- by Redis's clock, and later than the node stops
local AHEAD = 1.25
local NEARLY = 0.95    -- of a share is used up: not all windows pass all of it
local LEAST = 1 / 16   -- of an even share
local LEAP = 1 / 4     -- of all, for who has used up a share, at least
local START_SECONDS = 3

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

local function is_used_up(second, given)
    local passed = share.used(second)
    return passed >= (given or 1) * NEARLY
        and (passed > 0 or state:get("in_vain"))
end

-- What was given for that second, and what of it might pass. told: as
-- share.told() has it.
local function given_in(told, second)
    local after = second - told.second
    if after < 0 then
        return told.last, told.last_most
    elseif after == 0 then
        return told.now - told.before, told.most[0]
    elseif after == 1 then
        return told.next, told.most[1]
    elseif second < told.ends then
        return told.fallback, told.most[after] or told.fallback
    end
    return 0, 0
end

local function wanted(told, all)
    local second = floor(share.clock())
    local passed = max(share.used(second), share.used(second - 1))
    local last_most = told.second and select(2, given_in(told, second - 1))
    if is_used_up(second, share.limit())
            or is_used_up(second - 1, last_most) then
        local most = max(passed, told.next or 0)
        return min(all, ceil(max(most * 2, all * LEAP)))
    end
    local least = all * LEAST / max(1, told.nodes)
    return min(all, ceil(max(passed * AHEAD, least)))
end

local function whole(...)
    return (("%.0f "):rep(select("#", ...)):format(...):gsub(" $", ""))
end

local function known(told)
    if not told.second then
        return instance .. " 0 0 0 0 0 0 0 0"
    end
    return instance .. " " .. whole(told.all, told.nodes, told.fallback, 0,
        told.second, told.now, told.next, told.before)
end

-- What it was given for the second before this one, and what of that might
-- pass, as if the limit had been then what it is now: what it was raised by was
-- nobody's.
local function last_share(told, second, all)
    local was = told.all
    if not was then
        return 0, 0
    elseif was == 0 then
        return all, all
    end
    local last, most = given_in(told, second - 1)
    return floor(last * all / was), floor(most * all / was)
end

local function keep(told, reply, ahead, all, asked_at)
    local second = reply[2]
    local last, last_most = last_share(told, second, all)
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

-- In the poller, once limits were read. nil and why: the connection failed.
-- That Redis refuses to write is no such failure; then it is as if cut off.
function _M.renew(client)
    local all = config:get("limit:edge.global_qps")
    if not all then
        return true
    end
    ngx.update_time()
    share.look()
    local told, asked_at = share.told(), now()
    local reply, err = client:eval(script, 1, redis_keys.EDGES, node, instance,
        whole(wanted(told, all)), whole(all), KEPT_MS, known(told))
    ngx.update_time()
    if reply then
        keep(share.told(), reply, reply[1] / 1000 - (asked_at + now()) / 2,
            all, asked_at)
    elseif state:get("no_share") ~= err then
        forced.set(STATE, "no_share", err)
        ngx.log(ngx.WARN, "no share of edge.global_qps: ", err, "; this node"
            .. " goes on with what the others leave to it for ",
            CUT_OFF_SECONDS, " s")
    end
    return reply ~= nil, err
end

return _M
