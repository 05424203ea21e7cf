-- Reads the control Redis four times a second, by one worker of the node, and
-- in between which sales have just been sold out or got units back.
--
-- poller       pid of the worker that polls; it dies with its worker after
--   LOCK_SECONDS and another one takes over. Two polling at once for a moment
--   do no harm: both write what Redis says.
-- away         why Redis cannot be read; everything stays as it was.
-- loaded       what is in force is known: all of Redis was read and had its
--   limits, or the node's last start left its file (saved.lua)
-- read_at      when it was read last (seconds since 1970)
-- late_ms:WORKER   unit: milliseconds by which this timer of a worker came
--   late at most, in its last second

local clock_step = require "seckill.limit.clock_step"
local forced = require "seckill.forced"
local node = require "seckill.config.node"
local reader = require "seckill.config.reader"
local redis = require "seckill.config.redis"
local saved = require "seckill.config.saved"
local share = require "seckill.limit.share"
local share_renewal = require "seckill.limit.share_renewal"
local tops = require "seckill.tops"

local STATE = "seckill_state"
local state = ngx.shared[STATE]
local log = ngx.log

local EVERY_SECONDS = 0.025
local TURNS = 10  -- all is read in each so many-th
local LOCK_SECONDS = 1
local TELL_SECONDS = 1
local LATE_SECONDS = 5  -- of a worker that is gone nothing is told

local _M = {}

local function converse(client)
    local ok, err = reader.learn(client)
    if not ok then
        return nil, err
    end
    ok, err = share_renewal.renew(client)
    return ok, err
end

local function poll()
    local ok, err = redis.ask(converse)
    local was_away = state:get("away")
    if not ok then
        if not was_away then
            log(ngx.ERR, "cannot read the control Redis at ",
                node.control.host, ":", node.control.port, ": ", err,
                "; limits and sales stay as they were")
        end
        forced.set(STATE, "away", err)
        return
    end
    if was_away then
        state:delete("away")
        log(ngx.WARN, "the control Redis is back")
    end
    if not state:get("lost") and reader.is_whole() then
        forced.set(STATE, "loaded", true)
    end
    forced.set(STATE, "read_at", ngx.now())
    saved.save_changes()
end

-- nil: there was a fault. A poll is to tell it.
local function look_at_changes()
    if state:get("away") or not state:get("loaded") and reader.is_whole() then
        return true
    end
    return redis.ask(reader.learn_changes)
end

local turn, is_faulty = 0, false

-- The poll that tells a look's fault comes next: a turn takes 0.1 s more when
-- Redis hangs, so in its own turn it would come after a second. Of faults that
-- no poll meets (a wrong type, say) only the first one has that.
local function work()
    if turn == 0 then
        poll()
    else
        local was_faulty = is_faulty
        is_faulty = not look_at_changes()
        if is_faulty and not was_faulty then
            turn = 0
            return
        end
    end
    turn = (turn + 1) % TURNS
end

local function is_mine(pid)
    if forced.add(STATE, "poller", pid, LOCK_SECONDS) then
        return true
    end
    if state:get("poller") ~= pid then
        return false
    end
    return forced.set(STATE, "poller", pid, LOCK_SECONDS)
end

-- This worker is leaving; the next one need not wait.
local function leave(pid)
    if state:get("poller") == pid then
        state:delete("poller")
    end
end

local due, late_ms, told_at = nil, 0, 0

-- Of each worker the worst of a second.
local function tell_lag()
    local at = ngx.now()
    if due then
        late_ms = math.max(late_ms, (at - due) * 1000)
    end
    if math.abs(at - told_at) >= TELL_SECONDS then
        state:safe_set("late_ms:" .. ngx.worker.id(), late_ms, LATE_SECONDS)
        late_ms, told_at = 0, at
    end
end

local function again(premature)
    local pid = ngx.worker.pid()
    if premature then
        tops.flush(true)
        return leave(pid)
    end
    tell_lag()
    if is_mine(pid) then
        local ok, err = pcall(work)
        if not ok then
            log(ngx.ERR, "reading the control Redis failed: ", err)
        end
    end
    share.look()
    tops.flush()
    clock_step.note()  -- reads the time anew
    due = ngx.now() + EVERY_SECONDS
    local ok, err = ngx.timer.at(EVERY_SECONDS, again)
    if not ok then
        tops.flush(true)
        leave(pid)
        if not ngx.worker.exiting() then
            log(ngx.ERR, "this worker polls no more: ", err)
        end
    end
end

-- In every worker, at its start.
function _M.start()
    clock_step.start()
    assert(ngx.timer.at(0, again))
end

return _M
