-- What a test asks a running edge (edge.lua) as clients, operators and the
-- next hop would: requests with tokens, floods, redis-cli, counters.

local cjson = require "cjson"
local crypto = require "seckill.request.crypto"
local ffi = require "ffi"

ffi.cdef [[
struct seckill_time { long seconds, microseconds; };
int gettimeofday(struct seckill_time *time, void *zone);
int usleep(unsigned int microseconds);
]]
local libcrypto = ffi.load("libcrypto.so.3")
local clock = ffi.new("struct seckill_time")

local PORT = tonumber(os.getenv("SECKILL_TEST_PORT") or 22080)
local SECRET = ("s"):rep(40)

local _M = {
    SECRET = SECRET,
    OLD_SECRET = ("o"):rep(40),
    url = "http://127.0.0.1:" .. PORT,
    internal = "http://127.0.0.1:" .. PORT + 1,
    second_url = "http://127.0.0.1:" .. PORT + 5,
    second_internal = "http://127.0.0.1:" .. PORT + 6,
    third_url = "http://127.0.0.1:" .. PORT + 7,
    third_internal = "http://127.0.0.1:" .. PORT + 8,
    port = PORT,
}

local function sh(format, ...)
    local pipe = assert(io.popen(format:format(...)))
    local text = pipe:read("*a")
    pipe:close()
    return text
end
_M.sh = sh

function _M.write(path, text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
end

-- Seconds since 1970 with their fraction.
function _M.now()
    ffi.C.gettimeofday(clock, nil)
    return tonumber(clock.seconds) + tonumber(clock.microseconds) / 1e6
end

function _M.now_ms()
    return math.floor(_M.now() * 1000)
end

function _M.sleep(seconds)
    if seconds >= 0.0005 then
        ffi.C.usleep(seconds * 1e6)
    end
end

-- Sleeps until the clock shows a second's fraction; the limiters' windows
-- are the seconds of Redis's clock, which a busy node knows to some
-- milliseconds: so its border is 50 ms thick.
function _M.sleep_until(fraction)
    _M.sleep((math.max(fraction, 0.05) - _M.now()) % 1)
end

-- How often a part stands in a text.
function _M.count_of(text, part)
    local count, from = 0, 1
    while true do
        local at, ends = text:find(part, from, true)
        if not at then
            return count
        end
        count, from = count + 1, ends + 1
    end
end

-- True as soon as check() is; false after the seconds.
function _M.within(seconds, check)
    local ends = _M.now() + seconds
    repeat
        if check() then
            return true
        end
        _M.sleep(0.04)
    until _M.now() >= ends
    return false
end

function _M.base64url(text)
    local out = ffi.new("unsigned char[?]", #text * 2 + 8)
    local len = libcrypto.EVP_EncodeBlock(out, text, #text)
    return (ffi.string(out, len):gsub("[+/=]",
        { ["+"] = "-", ["/"] = "_", ["="] = "" }))
end

-- A token; claims and header override the usual ones.
function _M.token(user, claims, header, secret)
    local now = os.time()
    local payload = { sub = user, role = "buyer", iat = now, exp = now + 600 }
    for name, value in pairs(claims or {}) do
        payload[name] = value
    end
    local signed = _M.base64url(cjson.encode(
        header or { alg = "HS256", kid = "k2" }))
        .. "." .. _M.base64url(cjson.encode(payload))
    return signed .. "."
        .. crypto.hmac_base64url(secret or SECRET, signed)
end

-- status, headers (lower case), body (JSON decoded where it is).
function _M.http(method, path, options)
    options = options or {}
    local args = { "curl -s -i --path-as-is --max-time 8 -X " .. method }
    if options.user then
        args[#args + 1] = "-H 'Authorization: Bearer "
            .. _M.token(options.user) .. "'"
    end
    for _, header in ipairs(options.headers or {}) do
        args[#args + 1] = "-H '" .. header .. "'"
    end
    args[#args + 1] = options.curl or ""
    args[#args + 1] = "'" .. (options.base or _M.url) .. path .. "'"
    local text = sh("%s", table.concat(args, " "))
    local head, body = text:match("^(.-)\r\n\r\n(.*)$")
    local headers = {}
    for name, value in (head or ""):gmatch("\n([^:\r\n]+): ([^\r\n]*)") do
        headers[name:lower()] = value
    end
    local ok, value = pcall(cjson.decode, body)
    return tonumber((head or ""):match("^HTTP/%S+ (%d+)")), headers,
        ok and value or body
end

-- Raw bytes on one connection, written as printf takes them; everything that
-- comes back until the edge closes it, or in the seconds.
function _M.raw(bytes, seconds)
    return sh("bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d; printf \"%%b\""
        .. " \"$0\" >&3; timeout %g cat <&3 2>&-' '%s'", PORT, seconds or 1,
        bytes)
end

function _M.redis(format, ...)
    return (sh("redis-cli -h 127.0.0.1 -p %d " .. format, PORT + 4, ...)
        :gsub("\n$", ""))
end

-- Sends commands, each a list of words, in one go; a word may hold any byte.
function _M.redis_all(commands)
    local parts = {}
    for _, words in ipairs(commands) do
        parts[#parts + 1] = ("*%d\r\n"):format(#words)
        for _, word in ipairs(words) do
            word = type(word) == "number" and ("%d"):format(word) or word
            parts[#parts + 1] = ("$%d\r\n%s\r\n"):format(#word, word)
        end
    end
    _M.write(_M.dir .. "/commands", table.concat(parts))
    local said = sh("redis-cli -p %d --pipe < '%s/commands' 2>&1", PORT + 4,
        _M.dir)
    assert(said:find("errors: 0, replies: " .. #commands, 1, true), said)
end

-- Writes requests { method, path, user, base } for run(); base is the
-- node's address where it is not the first node's. request.token: not the
-- user's usual one.
function _M.prepare_run(requests, name)
    local parts = {}
    for i, request in ipairs(requests) do
        parts[i] = ("request = %s\nurl = \"%s%s\"\nsilent\nmax-time = 8\n"
            .. "globoff\npath-as-is\noutput = /dev/null\n"
            .. "header = \"Authorization: Bearer %s\"\n"
            .. "write-out = \"%%{http_code} %%{time_total}\\n\"\n")
            :format(request[1], request[4] or _M.url, request[2],
                request.token or _M.token(request[3]))
    end
    _M.write(_M.dir .. "/" .. name, table.concat(parts, "next\n"))
end

-- Sends what was prepared over as many connections; one { status, ms } per
-- answer, and with one connection in the order of the requests.
function _M.run(name, connections)
    local parallel = connections > 1
        and "-Z --parallel-immediate --parallel-max " .. connections or ""
    local answers = {}
    for status, seconds in sh("curl %s -K '%s/%s' 2>/dev/null", parallel,
            _M.dir, name):gmatch("(%d%d%d) ([%d.]+)\n") do
        answers[#answers + 1] =
            { status = tonumber(status), ms = seconds * 1000 }
    end
    return answers
end

-- How many answers have each status.
function _M.tally(answers)
    local count = {}
    for _, answer in ipairs(answers) do
        count[answer.status] = (count[answer.status] or 0) + 1
    end
    return count
end

-- Sends requests in parallel over as many connections; how many were
-- answered with each status.
function _M.flood(requests, connections)
    _M.prepare_run(requests, "flood")
    return _M.tally(_M.run("flood", connections))
end

-- count attempts for a product, of users nobody has seen yet.
function _M.attempts(product, count, base)
    local requests = {}
    for i = 1, count do
        requests[i] = { "POST", "/seckill/flash/sale/deduct?productId="
            .. product, _M.stranger(), base }
    end
    return requests
end

-- One attempt of each of count users named PREFIX1, PREFIX2 ...
function _M.crowd(product, prefix, count, connections)
    local requests = {}
    for i = 1, count do
        requests[i] = { "POST", "/seckill/flash/sale/deduct?productId="
            .. product, prefix .. i }
    end
    return _M.flood(requests, connections)
end

-- A user nobody has seen yet, so that no earlier attempt speaks for it.
local strangers = 0
function _M.stranger()
    strangers = strangers + 1
    return "s" .. strangers
end

function _M.buy(product, user, path)
    return _M.http("POST", ("/seckill/flash/sale/%sdeduct?productId=%s")
        :format(path and path .. "/" or "", product), { user = user })
end

-- base: the internal address of another node than the first.
function _M.status(base)
    local _, _, body = _M.http("GET", "/status",
        { base = base or _M.internal })
    return body
end

-- A signed path as flash-sale-service gives it.
function _M.sign_path(user, product, expiry_ms, secret)
    return ("%d-%s"):format(expiry_ms, crypto.hmac_hex(secret or SECRET,
        ("path|%s|%s|%d"):format(user, product, expiry_ms)))
end

-- Requests the next hop saw since the last call.
function _M.seen()
    return tonumber((sh("curl -s http://127.0.0.1:%d/seen", PORT + 2)))
end

-- Of what the next hop was asked since this was last asked, the most within so
-- many seconds.
function _M.densest(span)
    return tonumber((sh("curl -s 'http://127.0.0.1:%d/densest?span=%s'",
        PORT + 2, span)))
end

-- Connections on which the next hop was asked since its start.
function _M.connections()
    return tonumber((sh("curl -s http://127.0.0.1:%d/connections",
        PORT + 2)))
end

return _M
