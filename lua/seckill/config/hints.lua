-- Which keys of limits and sales have changed, as the control Redis tells it
-- (CLIENT TRACKING of the keys with these prefixes, Redis 6 and later). Only
-- hints: whoever follows them reads the keys, and everything else in turn too,
-- for what changes while there is no connection is told to nobody.
--
-- One connection of the worker that polls, kept as long as keep() is called.
-- Redis speaks by itself on it; a PING after a while of silence tells whether
-- it is still there. Bounded: in silence, and in what resp3.lua reads of a
-- message; what exceeds that ends the connection, and the next begins anew.

local node = require "seckill.config.node"
local redis_keys = require "seckill.config.redis_keys"
local resp3 = require "seckill.config.resp3"

local now = ngx.now

local CONNECT_MS = 50
local SILENCE_MS = 500  -- then PING; after another such while it is gone
local AGAIN_SECONDS = 1
local KEPT_SECONDS = 1  -- some polls

-- The three do not overlap, which Redis demands.
local PREFIXES = { redis_keys.LIMITS, redis_keys.SALES, redis_keys.SALE }

local _M = {}

local wanted_until, began_at, is_running = 0, 0, false
local trouble = "not yet connected"  -- nil: hints come

local function connect(sock)
    local control = node.control
    sock:settimeout(CONNECT_MS)
    local ok, err = sock:connect(control.host, control.port,
        { pool = "hints" })
    if ok and control.tls then
        ok, err = sock:sslhandshake(false, nil, true)
    end
    if not ok then
        return nil, err
    end
    sock:settimeout(SILENCE_MS)
    local hello = { "hello", "3" }
    if control.user then
        hello = { "hello", "3", "auth", control.user, control.password }
    end
    ok, err = resp3.ask(sock, hello)
    if not ok then
        return nil, err
    end
    local tracking = { "client", "tracking", "on", "bcast" }
    for _, prefix in ipairs(PREFIXES) do
        tracking[#tracking + 1] = "prefix"
        tracking[#tracking + 1] = prefix
    end
    return resp3.ask(sock, tracking)
end

-- Hands on what a message names; of a FLUSHALL it names nothing.
local function tell(message, hear)
    if type(message) ~= "table" or message[1] ~= "invalidate" then
        return
    end
    if type(message[2]) ~= "table" then
        return hear(nil)
    end
    for _, key in ipairs(message[2]) do
        hear(key)
    end
end

-- Returns why it ended; nil: it is wanted no more.
local function listen(sock, hear)
    local is_asked, room = false, resp3.new_room()
    while now() < wanted_until and not ngx.worker.exiting() do
        local message, err = resp3.read(sock, room)
        if message then
            is_asked = false
            tell(message, hear)
        elseif err == "silence" and not is_asked then
            is_asked = true
            local ok
            ok, err = sock:send "PING\r\n"
            if not ok then
                return err
            end
        else
            return err
        end
    end
end

local function talk(sock, hear)
    local ok, err = connect(sock)
    if not ok then
        return err
    end
    trouble = nil
    hear(nil)  -- whatever changed before was told to nobody
    return listen(sock, hear)
end

local function run(premature, hear)
    if not premature then
        local sock = ngx.socket.tcp()
        local _, why = pcall(talk, sock, hear)
        sock:close()
        trouble = why or "not wanted"
    end
    is_running = false
end

-- hear(key): a key that has changed; nil: any may have. It must not yield.
-- To be called in each poll.
function _M.keep(hear)
    local at = now()
    wanted_until = at + KEPT_SECONDS
    if not is_running and math.abs(at - began_at) >= AGAIN_SECONDS then
        began_at = at
        is_running = ngx.timer.at(0, run, hear) ~= nil
    end
end

-- Why no hints come; nil: they do.
function _M.trouble()
    return trouble
end

return _M
