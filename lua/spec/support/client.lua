-- What a test asks a running edge (edge.lua) as clients, operators and the
-- next hop would: requests with tokens, floods, redis-cli, counters.

local cjson = require "cjson"
local crypto = require "seckill.request.crypto"
local ffi = require "ffi"

local libcrypto = ffi.load("libcrypto.so.3")

local PORT = tonumber(os.getenv("SECKILL_TEST_PORT") or 22080)
local SECRET = ("s"):rep(40)

local _M = {
    SECRET = SECRET,
    OLD_SECRET = ("o"):rep(40),
    url = "http://127.0.0.1:" .. PORT,
    internal = "http://127.0.0.1:" .. PORT + 1,
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

-- True as soon as check() is; false after the seconds.
function _M.within(seconds, check)
    for _ = 1, seconds * 20 do
        if check() then
            return true
        end
        sh("sleep 0.05")
    end
    return false
end

local function base64url(value)
    local text = cjson.encode(value)
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
    local signed = base64url(header or { alg = "HS256", kid = "k2" })
        .. "." .. base64url(payload)
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

function _M.redis(format, ...)
    return (sh("redis-cli -h 127.0.0.1 -p %d " .. format, PORT + 4, ...)
        :gsub("\n$", ""))
end

-- Sends requests { method, path, user } in parallel over as many connections;
-- how many were answered with each status.
function _M.flood(requests, connections)
    local parts = {}
    for i, request in ipairs(requests) do
        parts[i] = ("request = %s\nurl = \"%s%s\"\nsilent\nmax-time = 8\n"
            .. "header = \"Authorization: Bearer %s\"\n"
            .. "output = /dev/null\nwrite-out = \"%%{http_code}\\n\"\n")
            :format(request[1], _M.url, request[2], _M.token(request[3]))
    end
    _M.write(_M.dir .. "/flood", table.concat(parts, "next\n"))
    local count = {}
    for status in sh("curl -Z --parallel-immediate --parallel-max %d"
            .. " -K '%s/flood' 2>/dev/null", connections, _M.dir)
            :gmatch("%d%d%d") do
        count[tonumber(status)] = (count[tonumber(status)] or 0) + 1
    end
    return count
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

function _M.status()
    local _, _, body = _M.http("GET", "/status", { base = _M.internal })
    return body
end

-- Requests the next hop saw since the last call.
function _M.seen()
    return tonumber((sh("curl -s http://127.0.0.1:%d/seen", PORT + 2)))
end

return _M
