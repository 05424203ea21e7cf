-- Which keys of limits and sales have changed, as the control Redis tells it
-- (CLIENT TRACKING of the keys with these prefixes, Redis 6 and later). Only
-- hints: whoever follows them reads the keys, and everything else in turn too,
-- for what changes while there is no connection is told to nobody.
--
-- One connection of the worker that polls, kept as long as keep() is called.
-- Redis speaks by itself on it; a PING after a while of silence tells whether
-- it is still there. Bounded: in silence, in keys of a message and in bytes of
-- a key (what exceeds them ends the connection, and the next begins anew), and
-- in what is read in one go.

local node = require "seckill.config.node"
local redis_keys = require "seckill.config.redis_keys"

local now = ngx.now

local CONNECT_MS = 50
local SILENCE_MS = 500  -- then PING; after another such while it is gone
local AGAIN_SECONDS = 1
local KEPT_SECONDS = 1  -- some polls
local MAX_ITEMS = 100000  -- a script may change all products' keys at once
local MAX_BYTES = 1024
local LINES = 2000  -- read in one go; then nginx serves others
local PAUSE_SECONDS = 0.001

-- The three do not overlap, which Redis demands.
local PREFIXES = { redis_keys.LIMITS, redis_keys.SALES, redis_keys.SALE }

-- Types of the protocol (RESP3) that hold others, and how many per count.
local HOLDS = { ["*"] = 1, [">"] = 1, ["~"] = 1, ["%"] = 2 }

local _M = {}

local wanted_until, began_at, is_running = 0, 0, false
local trouble = "not yet connected"  -- nil: hints come

local read

local function read_list(sock, count, room)
    if not count or count > room.items then
        return nil, "too many items in a message"
    end
    room.items = room.items - count
    local list = {}
    for i = 1, count do
        local item, err = read(sock, room)
        if not item then
            return nil, err
        end
        list[i] = item
    end
    return list
end

local function read_text(sock, size)
    if not size or size > MAX_BYTES then
        return nil, "too long a key"
    end
    local text, err = sock:receive(size + 2)
    return text and text:sub(1, size), err
end

-- room: items that this message may still have; lines read so far.
local function next_line(sock, room)
    room.lines = room.lines + 1
    if room.lines % LINES == 0 then
        ngx.sleep(PAUSE_SECONDS)
    end
    return sock:receive()
end

-- One message: a list, or a text (of a number, or a null, too); nil and why
-- there is none. "silence": nothing has come so far.
function read(sock, room)
    local line, err, part = next_line(sock, room)
    if not line then
        return nil, err == "timeout" and part == "" and "silence" or err
    end
    local kind, rest = line:sub(1, 1), line:sub(2)
    if HOLDS[kind] then
        return read_list(sock, (tonumber(rest) or 1 / 0) * HOLDS[kind], room)
    elseif kind == "$" then
        return read_text(sock, tonumber(rest))
    elseif kind == "-" then
        return nil, rest
    end
    return rest
end

-- A command with the lengths of its words: a password may hold any byte.
local function ask(sock, words)
    local parts = { "*" .. #words }
    for _, word in ipairs(words) do
        parts[#parts + 1] = "$" .. #word .. "\r\n" .. word
    end
    local ok, err = sock:send(table.concat(parts, "\r\n") .. "\r\n")
    if not ok then
        return nil, err
    end
    return read(sock, { items = MAX_ITEMS, lines = 0 })
end

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
    ok, err = ask(sock, hello)
    if not ok then
        return nil, err
    end
    local tracking = { "client", "tracking", "on", "bcast" }
    for _, prefix in ipairs(PREFIXES) do
        tracking[#tracking + 1] = "prefix"
        tracking[#tracking + 1] = prefix
    end
    return ask(sock, tracking)
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
    local is_asked, room = false, { lines = 0 }
    while now() < wanted_until and not ngx.worker.exiting() do
        room.items = MAX_ITEMS
        local message, err = read(sock, room)
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
