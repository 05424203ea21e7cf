-- The control Redis: one short, bounded conversation at a time. Nothing on
-- the hot path calls it; a lease and the poller do.
--
-- In seckill_state:
-- redis_ms   unit: milliseconds of the longest conversation lately; gone
--   LATELY_SECONDS after it, and then the next one is. No room: none is told

local counters = require "seckill.counters"
local monotonic = require "seckill.limit.monotonic"
local node = require "seckill.config.node"

-- OpenResty's name of the client, then Debian's (as of 2019).
local found, redis = pcall(require, "resty.redis")
if not found then
    redis = require "nginx.redis"
end

local CONNECT_MS = 50
local REPLY_MS = 100
local IDLE_MS = 10000
local POOL = 4
local LATELY_SECONDS = 5

local state = ngx.shared.seckill_state

local _M = {}

-- The old client turns a method it lacks into a Redis command, hence rawget.
local function set_timeouts(client)
    if rawget(redis, "set_timeouts") then
        client:set_timeouts(CONNECT_MS, REPLY_MS, REPLY_MS)
    else
        client:set_timeout(REPLY_MS)
    end
end

-- A connection of the pool has shown its password already.
local function connect(client, control)
    local ok, err = client:connect(control.host, control.port, {
        ssl = control.tls,
        ssl_verify = control.tls,
        pool = control.host .. ":" .. control.port,
    })
    if not ok or not control.user or client:get_reused_times() > 0 then
        return ok, err
    end
    ok, err = client:auth(control.user, control.password)
    if not ok then
        client:close()
    end
    return ok, err
end

-- One that saw any failure is not used again: late replies must not meet new
-- questions.
local function converse(work, a, b)
    local client = redis:new()
    set_timeouts(client)
    local ok, err = connect(client, node.control)
    if not ok then
        return nil, err
    end
    local result, fault = work(client, a, b)
    if not result then
        client:close()
        return nil, fault
    end
    client:set_keepalive(IDLE_MS, POOL)
    return result
end

local function tell_length(ms)
    if ms > (state:get("redis_ms") or -1) then
        state:safe_set("redis_ms", ms, LATELY_SECONDS)
    end
end

-- Milliseconds of the longest conversation lately, or nil: there was none.
function _M.longest_ms()
    return state:get("redis_ms")
end

-- What work(client, a, b) returns, or nil and why not. Counted at its end, so
-- none is under way in what /metrics tells.
function _M.ask(work, a, b)
    local began_at = monotonic()
    local result, err = converse(work, a, b)
    tell_length((monotonic() - began_at) * 1000)
    counters.count("redis_calls")
    counters.count(result and "redis_answered" or "redis_failed")
    return result, err
end

-- Replies of the commands that fill(client) puts into one pipeline, or nil
-- and why not. An error that is not about one key's type (LOADING, NOAUTH)
-- says nothing about any key: then there are no replies at all.
function _M.pipeline(client, fill)
    client:init_pipeline()
    fill(client)
    local replies, err = client:commit_pipeline()
    for _, reply in ipairs(replies or {}) do
        if type(reply) == "table" and reply[1] == false
                and not tostring(reply[2]):find("^WRONGTYPE") then
            return nil, reply[2]
        end
    end
    return replies, err
end

return _M
