-- A real edge for tests: nginx by nginx/render, a real control Redis and a
-- scripted next hop, each on a port of its own under one temporary folder.

local cjson = require "cjson"
local crypto = require "seckill.crypto"
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

local function write(path, text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
end

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
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
    write(_M.dir .. "/flood", table.concat(parts, "next\n"))
    local count = {}
    for status in sh("curl -Z --parallel-immediate --parallel-max %d"
            .. " -K '%s/flood' 2>&1", connections, _M.dir)
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

function _M.redis(format, ...)
    return (sh("redis-cli -h 127.0.0.1 -p %d " .. format, PORT + 4, ...)
        :gsub("\n$", ""))
end

-- Starts a program in the background; its pid.
local function spawn(log, command, ...)
    return tonumber(sh("%s >'%s' 2>&1 & echo $!", command:format(...), log))
end

local function fill(text, values)
    return (text:gsub("@([%u%d_]+)@", values))
end

local function start_next_hop(dir, root)
    local conf = read(dir .. "/edge/nginx.conf")
    sh("mkdir -p '%s/next/tmp'", dir)
    write(dir .. "/next/nginx.conf",
        fill(read(root .. "/lua/spec/support/upstream.conf"), {
            ROOT = root, PORT_2 = PORT + 2, PORT_3 = PORT + 3,
            MODULES = conf:match("\n(load_module[^\n]*)") or "",
            USER = conf:match("\n(user [^\n]*)") or "",
        }))
    return spawn(dir .. "/next/out", "exec nginx -p '%s/next' -c nginx.conf"
        .. " -e error.log", dir)
end

function _M.start_redis()
    _M.redis_pid = spawn(_M.dir .. "/redis.log", "exec redis-server --port %d"
        .. " --bind 127.0.0.1 --save '' --appendonly no --dir '%s'",
        PORT + 4, _M.dir)
    assert(_M.within(5, function()
        return _M.redis("ping 2>&1") == "PONG"
    end), "redis-server did not come up")
end

function _M.render(overrides)
    return sh("cd '%s' && env -i PATH=\"$PATH\" SECKILL_PORT=%d"
        .. " SECKILL_EDGE_INTERNAL_PORT=%d SECKILL_FLASH_SALE_PORT=%d"
        .. " SECKILL_ORDER_PORT=%d SECKILL_CONTROL_REDIS=127.0.0.1:%d"
        .. " SECKILL_TOKEN_KEYS='%s/keys' SECKILL_WORKERS=2 %s"
        .. " nginx/render '%s/edge' 2>&1", _M.root, PORT, PORT + 1, PORT + 2,
        PORT + 3, PORT + 4, _M.dir, overrides or "", _M.dir)
end

function _M.start_edge()
    _M.edge_pid = spawn(_M.dir .. "/edge/out",
        "exec nginx -p '%s/edge' -c nginx.conf -e error.log", _M.dir)
    assert(_M.within(5, function()
        return _M.http("GET", "/health", { base = _M.internal }) ~= nil
    end), "nginx did not come up; see " .. _M.dir)
end

-- A folder with a key file and no program yet.
function _M.prepare()
    _M.root = sh("pwd"):gsub("\n", "")
    _M.dir = sh("mktemp -d"):gsub("\n", "")
    write(_M.dir .. "/keys", "# two keys: a rotation\nk2 " .. SECRET
        .. "\nk1 " .. _M.OLD_SECRET .. "\n")
end

function _M.start()
    _M.prepare()
    assert(_M.render() == "")
    _M.next_pid = start_next_hop(_M.dir, _M.root)
    _M.start_edge()
end

-- Ends what was started and waits for it.
function _M.kill(pid, signal)
    sh("kill -%s %d 2>&1; for i in $(seq 100); do kill -0 %d 2>/dev/null"
        .. " || break; sleep 0.05; done", signal or "TERM", pid, pid)
end

function _M.stop()
    for _, name in ipairs { "edge_pid", "next_pid", "redis_pid" } do
        if _M[name] then
            _M.kill(_M[name])
            _M[name] = nil
        end
    end
    sh("rm -rf '%s'", _M.dir)
end

function _M.error_log()
    return read(_M.dir .. "/edge/error.log")
end

function _M.now_ms()
    return tonumber((sh("date +%%s%%3N")))
end

-- Writes a sale and its quota as stock-service does. changes: other values.
function _M.sale(product, changes, total)
    local now = _M.now_ms()
    local sale = { product_id = product, name = "Demo", price_cents = 9900,
        start_at_ms = now - 1000, end_at_ms = now + 3600000,
        per_user_limit = 1, path = "off", pay_within_s = 900,
        stock_total = 100, epoch = 1, shard_count = 3, sold_out = 0 }
    for field, value in pairs(changes or {}) do
        sale[field] = value
    end
    local words = {}
    for field, value in pairs(sale) do
        words[#words + 1] = ("%s '%s'"):format(field,
            type(value) == "number" and ("%d"):format(value) or value)
    end
    _M.redis("hset seckill:sale:%s %s", product, table.concat(words, " "))
    _M.redis("hset seckill:quota:%s total %d issued 0 epoch %s", product,
        total or 1000, sale.epoch)
    _M.redis("sadd seckill:sales %s", product)
    assert(_M.within(2, function()
        local status, _, got = _M.http("GET", "/seckill/sales/" .. product)
        return status == 200 and got.name == sale.name
    end), "the edge did not take over sale " .. product)
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
