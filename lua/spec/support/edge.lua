-- A real edge for tests: nginx by nginx/render, a real control Redis and a
-- scripted next hop, each on a port of its own under one temporary folder.
-- It is the client of client.lua with a life cycle.

local _M = require "client"
local redis_keys = require "seckill.config.redis_keys"

local PORT = _M.port
local NGINX = os.getenv("SECKILL_NGINX") or "nginx"
_M.nginx = NGINX
local sh = _M.sh
local write = _M.write

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

-- Starts a program in the background and waits until is_up(); its pid. A
-- foreign program on the port does not count: ours must still be running.
local function spawn(log, is_up, command, ...)
    local pid = tonumber(
        sh("%s >'%s' 2>&1 & echo $!", command:format(...), log))
    local up = _M.within(5, is_up) and sh("kill -0 %d 2>&1", pid) == ""
    assert(up, command .. " did not come up: " .. read(log))
    return pid
end

local function fill(text, values)
    return (text:gsub("@([%u%d_]+)@", values))
end

-- An nginx of the tests' own in the next hop's place, of a file beside this.
function _M.start_nginx(name, template, is_up)
    local conf = read(_M.dir .. "/edge/nginx.conf")
    local dir, dicts = _M.dir .. "/" .. name, {}
    for dict in conf:gmatch("lua_shared_dict[^;]+;") do
        dicts[#dicts + 1] = dict
    end
    sh("mkdir -p '%s/tmp'", dir)
    write(dir .. "/nginx.conf",
        fill(read(_M.root .. "/lua/spec/support/" .. template), {
            ROOT = _M.root, PORT = PORT + 2, PORT_2 = PORT + 2,
            PORT_3 = PORT + 3,
            MODULES = conf:match("\n(load_module[^\n]*)") or "",
            USER = conf:match("\n(user [^\n]*)") or "",
            DICTS = table.concat(dicts, " "),
        }))
    _M.next_pid = spawn(dir .. "/out", is_up,
        "exec '%s' -p '%s' -c nginx.conf -e error.log", NGINX, dir)
end

-- options: more of redis-server's; says: what it is to say once it is up.
function _M.start_redis(options, says)
    local function is_up()
        return _M.redis("ping 2>&1"):find(says or "PONG", 1, true) ~= nil
    end
    _M.redis_pid = spawn(_M.dir .. "/redis.log", is_up,
        "exec redis-server --port %d --bind 127.0.0.1 --save ''"
        .. " --appendonly no --enable-debug-command local --dir '%s' %s",
        PORT + 4, _M.dir, options or "")
    if not says then
        _M.keep_limits()
    end
end

-- As stock-service does once all that was lost is put back.
function _M.keep_limits()
    _M.redis("set %s %s nx", redis_keys.LIMITS_KEPT, _M.stranger())
end

-- overrides: NAME=VALUE for the environment; folder: where nginx.conf goes.
function _M.render(overrides, folder)
    return sh("cd '%s' && env -i PATH=\"$PATH\" SECKILL_PORT=%d"
        .. " SECKILL_EDGE_INTERNAL_PORT=%d SECKILL_FLASH_SALE_PORT=%d"
        .. " SECKILL_ORDER_PORT=%d SECKILL_CONTROL_REDIS=redis://127.0.0.1:%d"
        .. " SECKILL_TOKEN_KEYS='%s/keys' SECKILL_NGINX='%s'"
        .. " SECKILL_WORKERS=2 %s"
        .. " nginx/render '%s/%s' 2>&1", _M.root, PORT, PORT + 1, PORT + 2,
        PORT + 3, PORT + 4, _M.dir, NGINX, overrides or "", _M.dir,
        folder or "edge")
end

-- environment: NAME=VALUE for nginx, beside what it has.
function _M.start_edge(environment)
    local function is_up()
        return _M.http("GET", "/health", { base = _M.internal }) ~= nil
    end
    _M.edge_pid = spawn(_M.dir .. "/edge/out", is_up,
        "exec env %s '%s' -p '%s/edge' -c nginx.conf -e error.log",
        environment or "", NGINX, _M.dir)
end

-- What a start says until it stops, and its exit code; 124: it did not.
function _M.start_and_stop()
    return sh("timeout 1 '%s' -p '%s/edge' -c nginx.conf -e error.log"
        .. " 2>&1; echo $?", NGINX, _M.dir)
end

-- Another node on the same control Redis and the same services: "second" or
-- "third".
local function start_node(name, overrides)
    assert(_M.render(("SECKILL_PORT=%s SECKILL_EDGE_INTERNAL_PORT=%s %s")
        :format(_M[name .. "_url"]:match("%d+$"),
            _M[name .. "_internal"]:match("%d+$"), overrides or ""),
        name) == "")
    local function is_up()
        return _M.http("GET", "/health",
            { base = _M[name .. "_internal"] }) ~= nil
    end
    _M[name .. "_pid"] = spawn(_M.dir .. "/" .. name .. "/out", is_up,
        "exec '%s' -p '%s/%s' -c nginx.conf -e error.log", NGINX, _M.dir, name)
    -- All that run have their shares then, if there is a Redis.
    _M.within(3, function()
        for _, other in ipairs { "internal", "second_internal",
                "third_internal" } do
            local status = _M.http("GET", "/health", { base = _M[other] })
            if status and status ~= 200 then
                return false
            end
        end
        return true
    end)
end

function _M.start_second(overrides)
    start_node("second", overrides)
end

function _M.start_third(overrides)
    start_node("third", overrides)
end

-- Kills a node's first process and all its workers at once: pid_name is
-- "edge_pid", "second_pid" or "third_pid".
function _M.kill_node(pid_name)
    local pid = _M[pid_name]
    local workers = sh("pgrep -P %d", pid)
    sh("kill -9 %d %s", pid, (workers:gsub("\n", " ")))
    _M.kill(pid, "9")
    _M[pid_name] = nil
end

-- A folder with a key file and no program yet. more_keys: further lines.
function _M.prepare(more_keys)
    _M.root = sh("pwd"):gsub("\n", "")
    _M.dir = sh("mktemp -d"):gsub("\n", "")
    write(_M.dir .. "/keys", "# two keys: a rotation\nk2 " .. _M.SECRET
        .. "\nk1 " .. _M.OLD_SECRET .. "\n" .. (more_keys or ""))
end

-- What only tests ask of an edge, on its internal listener: to count one more
-- under a key, to leave no room in a dict, to empty it, which keys it has;
-- which traces LuaJIT gave up, and to do what it must give up; what was done
-- with dicts; and nginx's own refusal, also by its limit_req.
local LIMITED = "limit_req_zone $binary_remote_addr zone=limited:1m rate=1r/m;"
local EXTRAS = [[
        location = /plant {
            content_by_lua_block {
                ngx.shared.seckill_counters:incr(ngx.var.arg_key, 1, 0)
            }
        }
        location = /fill {
            content_by_lua_block {
                local dict = ngx.shared[ngx.var.arg_dict]
                dict:flush_all()
                dict:flush_expired()
                require("support.limiters").fill(dict)
            }
        }
        location = /keys {
            content_by_lua_block {
                local keys = ngx.shared[ngx.var.arg_dict]:get_keys(0)
                ngx.print(table.concat(keys, " "))
            }
        }
        location = /aborts {
            content_by_lua_block {
                local aborts = require "support.aborts"
                ngx.print(require("cjson").encode(aborts.counts()))
            }
        }
        location = /operations {
            content_by_lua_block {
                ngx.print(table.concat(
                    require("support.operations").take(), ","))
            }
        }
        location = /floor {
            default_type application/problem+json;
            log_by_lua_block { }
            return 429 '{"code":"TOO_MANY_REQUESTS"}';
        }
        location = /limited {
            default_type application/problem+json;
            log_by_lua_block { }
            add_header Cache-Control no-store always;
            add_header Retry-After 1 always;
            limit_req zone=limited;
            limit_req_status 429;
            limit_req_log_level info;
            error_page 429 @limited;
            try_files /none =429;
        }
        location @limited {
            default_type application/problem+json;
            log_by_lua_block { }
            add_header Cache-Control no-store always;
            add_header Retry-After 1 always;
            return 429 '{"code":"TOO_MANY_REQUESTS"}';
        }
        location = /closures {
            content_by_lua_block {
                require("support.aborts").make_closures(100000)
            }
        }
        location = /empty {
            content_by_lua_block {
                local dict = ngx.shared[ngx.var.arg_dict]
                dict:flush_all()
                dict:flush_expired()
            }
        }
]]

-- Adds them to the rendered configuration, with dicts small enough to fill.
function _M.add_extras()
    local path = _M.dir .. "/edge/nginx.conf"
    local text = read(path):gsub("location = /health", function(found)
        return EXTRAS .. found
    end):gsub("/lua/%?%.lua;", "%0" .. _M.root .. "/lua/spec/?.lua;")
        :gsub("http {", "%0 " .. LIMITED, 1)
    for _, name in ipairs { "rates", "leases", "users", "inflight" } do
        text = text:gsub("(seckill_" .. name .. " +)%d+m", "%164k")
    end
    write(path, text)
end

-- extras: true for add_extras().
local function start_all(overrides, extras)
    assert(_M.render(overrides) == "")
    if extras then
        _M.add_extras()
    end
    _M.start_nginx("next", "upstream.conf", function()
        return _M.seen() ~= nil
    end)
    _M.start_edge()
end

function _M.start(overrides, extras, more_keys)
    _M.prepare(more_keys)
    local ok, why = pcall(start_all, overrides, extras)
    if not ok then
        _M.stop()
        error(why)
    end
end

-- Ends what was started, stopped or not, and waits until it is gone (or a
-- zombie, where the machine's first process is slow to reap).
function _M.kill(pid, signal)
    sh("kill -%s %d 2>&1; kill -CONT %d 2>&1", signal or "TERM", pid, pid)
    _M.within(5, function()
        return not sh("cat /proc/%d/status 2>&1", pid):find("State:\t[^Z]")
    end)
end

-- Ends the first node, if it runs.
function _M.stop_edge()
    if _M.edge_pid then
        _M.kill(_M.edge_pid)
        _M.edge_pid = nil
    end
end

function _M.stop()
    for _, name in ipairs { "edge_pid", "second_pid", "third_pid",
            "next_pid", "redis_pid" } do
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

-- What lua/README.md says that an edge's user of the control Redis needs.
function _M.rights()
    local list = {}
    local said = read("lua/README.md"):match("`(~seckill:%*[^`]*)` and no more")
    for word in said:gmatch("%S+") do
        list[#list + 1] = word
    end
    return list
end

-- Whom a quota is open for: the Redis that runs.
function _M.redis_identity()
    return _M.redis("info replication"):match("master_replid:(%x+)")
end

-- Begins an epoch of a quota, as stock-service does when another Redis has it
-- than the one it was open for.
function _M.begin_quota(product, total)
    assert(_M.within(2, function()
        local open_for = _M.redis_identity()
        return open_for and _M.redis("hset %s%s total %d issued 0 epoch %d"
            .. " units %d open_for %s", redis_keys.QUOTA, product, total,
            _M.now_ms(), total, open_for):find("^%d+$")
    end), "the quota of " .. product .. " cannot be written")
end

-- The commands that write a sale and its quota as stock-service does.
local function sale_commands(product, changes, total, open_for)
    local now = _M.now_ms()
    local ends = changes and changes.end_at_ms or now + 3600000
    local sale = { product_id = product, name = "Demo", price_cents = 9900,
        start_at_ms = math.min(now - 1, ends - 500), end_at_ms = ends,
        per_user_limit = 1, path = "off", pay_within_s = 900,
        stock_total = 100, placements = "0:1:OPEN 1:1:OPEN 2:1:OPEN",
        sold_out = 0, synthetic = 0 }
    for field, value in pairs(changes or {}) do
        sale[field] = value
    end
    local hash = { "HSET", redis_keys.SALE .. product }
    for field, value in pairs(sale) do
        hash[#hash + 1] = field
        hash[#hash + 1] = value
    end
    return sale, hash, { "HSET", redis_keys.QUOTA .. product,
        "total", total or 1000, "issued", 0, "epoch", 1,
        "units", total or 1000, "open_for", open_for },
        { "SADD", redis_keys.SALES, product }
end

-- A sale that the edge knows. changes: other values of its hash.
function _M.sale(product, changes, total)
    local sale, hash, quota, member = sale_commands(product, changes, total,
        _M.redis_identity())
    _M.redis_all { hash, quota, member }
    _M.keep_limits()
    assert(_M.within(5, function()
        local status, _, got = _M.http("GET", "/seckill/sales/" .. product)
        return status == 200 and got.name == sale.name
    end), "the edge did not take over sale " .. product)
end

-- Many sales at once. changes: other values of each hash.
function _M.sales(products, changes)
    local commands, open_for = {}, _M.redis_identity()
    for _, product in ipairs(products) do
        local _, hash, quota, member = sale_commands(product, changes, nil,
            open_for)
        commands[#commands + 1] = hash
        commands[#commands + 1] = quota
        commands[#commands + 1] = member
    end
    _M.redis_all(commands)
    -- Seconds are enough, but where others work on this machine.
    assert(_M.within(30, function()
        return _M.http("GET", "/seckill/sales/" .. products[#products]) == 200
    end), "the edge did not take the sales over")
end

return _M
