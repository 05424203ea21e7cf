-- nginx/render and the start: bad settings stop with their name.

local edge = require "edge"

describe("nginx/render", function()
    setup(function()
        edge.prepare()
    end)
    teardown(edge.stop)

    local function start_with(keys)
        edge.write(edge.dir .. "/keys", keys)
        return edge.start_and_stop()
    end

    it("writes a configuration that nginx takes", function()
        assert.equal("", edge.render())
        assert.equal("124\n", start_with("k1 " .. edge.SECRET .. "\n"))
    end)

    it("names the variable that is missing or wrong", function()
        for _, name in ipairs { "SECKILL_PORT", "SECKILL_ORDER_PORT",
                "SECKILL_EDGE_INTERNAL_PORT", "SECKILL_FLASH_SALE_PORT",
                "SECKILL_CONTROL_REDIS", "SECKILL_TOKEN_KEYS" } do
            assert.matches(name .. " is not set", edge.render(name .. "="),
                1, true)
        end
        for _, wrong in ipairs { "SECKILL_PORT=65536", "SECKILL_PORT=0x50",
                "SECKILL_WORKERS=many", "SECKILL_CONTROL_REDIS=localhost:6379",
                "SECKILL_TOKEN_KEYS=/no/such/file", "SECKILL_BIND='a;b'",
                "SECKILL_TOKEN_KEYS=relative" } do
            assert.matches("nginx/render: " .. wrong:match("^[^=]+"),
                edge.render(wrong), 1, true)
        end
    end)

    -- What stands in each variable's place, and is none. Quotes are the
    -- shell's; the message is to name the variable and show the value.
    local BAD_PORTS = { "0", "00", "08080", "65536", "99999999999999999999",
        "-1", "+80", "8080.", "0x50", "1e3", " 80", "80 ", "eighty", "80;",
        "80\n81", "*", "$(id)", "127.0.0.1:80" }
    local BAD_ALGORITHMS = { "sliding", "fixed_window ", "Token_Bucket",
        "token_bucket|leaky_bucket", "none", "1" }
    local BAD_HOSTS = { "a b", "a;b", "a\"b", "a/b", "a{", "$host", "a\nb",
        "http://a", "a:80", "[::1]", "*" }
    local BAD_SERVERS = { "a  b", " a", "a b ", "a,b", "a;b", "a\"b", "a/b",
        "$host", "a\nb", "http://a", "a:", "a:0", "a:65536", "b a:0x50",
        "[::1]", "*" }
    local BAD = {
        SECKILL_PORT = BAD_PORTS,
        SECKILL_EDGE_INTERNAL_PORT = BAD_PORTS,
        SECKILL_FLASH_SALE_PORT = BAD_PORTS,
        SECKILL_ORDER_PORT = BAD_PORTS,
        SECKILL_BIND = BAD_HOSTS,
        SECKILL_BIND_INTERNAL = BAD_HOSTS,
        SECKILL_FLASH_SALE_HOST = BAD_SERVERS,
        SECKILL_ORDER_HOST = BAD_SERVERS,
        SECKILL_HOSTS = { "a;b", "a\"b", " a", "a  b", "$host", "a\nb",
            "*.a", "a:80", "~a" },
        SECKILL_WORKERS = { "0", "00", "-1", "100", "2.5", "auto", " 2",
            "two", "1e1", "2;" },
        SECKILL_LIMITER_NODE = BAD_ALGORITHMS,
        SECKILL_LIMITER_PRODUCT = BAD_ALGORITHMS,
        SECKILL_LIMITER_USER = BAD_ALGORITHMS,
        SECKILL_LIMITER_ADDRESS = BAD_ALGORITHMS,
        SECKILL_TRUSTED_PROXIES = { "proxy", "10.0.0.0/", "10.0.0.1;", " ::1",
            "10.0.0.1,10.0.0.2", "10.0.0.1  10.0.0.2", "unix:", "$host",
            "10.0.0.0/33", "10.0.0", "cafe", ":", "::1/129" },
        SECKILL_BURST_MS = { "-1", "1001", "1.5", "0x1", "01", "all", " 1" },
        SECKILL_CONTROL_REDIS = { "a:1", "redis://:", "redis://:6379",
            "redis://a", "redis://a:b", "redis://a:0x1", "redis://a:1;b",
            "redis://a:1:2", "redis://a b:1", "redis://a:\n1",
            "redis://\"a\":1", "redis://u@a:1", "redis://u:\"@a:1",
            "redis://a:1/0", "http://a:1" },
        SECKILL_TOKEN_KEYS = { "keys", "./keys", "../keys", "/no/such/file",
            "/etc/hostname;", "/tmp/\"", "/tmp/a\nb" },
    }

    for name, values in pairs(BAD) do
        it("takes no " .. name .. " that is none, and writes nothing",
            function()
                for _, value in ipairs(values) do
                    edge.sh("rm -rf '%s/bad'", edge.dir)
                    local said = edge.render(name .. "='" .. value .. "'",
                        "bad")
                    assert.matches("^nginx/render: " .. name, said)
                    assert.is_nil(said:find("line %d+: "), said)
                    assert.equal("", edge.sh("ls '%s/bad' 2>&-", edge.dir),
                        name .. "=" .. value)
                end
            end)
    end

    it("writes what it was given, and where", function()
        edge.render("SECKILL_BIND=0.0.0.0 SECKILL_BIND_INTERNAL=10.0.0.7"
            .. " SECKILL_FLASH_SALE_HOST='flash flash-2:81'"
            .. " SECKILL_ORDER_HOST=order.local"
            .. " SECKILL_WORKERS=7 SECKILL_LIMITER_NODE=leaky_bucket"
            .. " SECKILL_LIMITER_PRODUCT=token_bucket SECKILL_BURST_MS=0"
            .. " SECKILL_LIMITER_USER=sliding_window"
            .. " SECKILL_LIMITER_ADDRESS=leaky_bucket"
            .. " SECKILL_TRUSTED_PROXIES='::1 10.0.0.0/8'", "given")
        local conf = edge.sh("cat '%s/given/nginx.conf'", edge.dir)
        for _, line in ipairs { "worker_processes 7;",
                "node = \"leaky_bucket\",", "product = \"token_bucket\",",
                "user = \"sliding_window\",", "address = \"leaky_bucket\" },",
                "burst_ms = 0,", "set_real_ip_from ::1; ",
                "set_real_ip_from 10.0.0.0/8; ",
                "listen 0.0.0.0:" .. edge.port .. " ",
                "listen 10.0.0.7:" .. edge.port + 1 .. ";",
                "server flash:" .. edge.port + 2 .. " ",
                "server flash-2:81 ",
                "server order.local:" .. edge.port + 3 .. " " } do
            local _, count = conf:gsub(line:gsub("%p", "%%%0"), "")
            assert.equal(1, count, line)
        end
        assert.is_nil((conf:gsub("#[^\n]*", ""):find("@%u")))
    end)

    it("wants one folder, and says so", function()
        for _, arguments in ipairs { "", "a b" } do
            assert.equal("nginx/render: usage: nginx/render DEST_DIR\n",
                edge.sh("nginx/render %s 2>&1", arguments))
        end
    end)

    it("shows no password, and nobody else reads the one it writes",
        function()
            local uri = "SECKILL_CONTROL_REDIS=redis://u:hunter2@"
            assert.is_nil(edge.render(uri .. "nowhere"):find("hunter2"))
            assert.equal("", edge.render(uri .. "127.0.0.1:1"))
            assert.equal("600\n", edge.sh("stat -c %%a '%s/edge/nginx.conf'",
                edge.dir))
        end)

    it("with TLS to a Redis it has no client for does not start", function()
        edge.render("SECKILL_CONTROL_REDIS=rediss://127.0.0.1:1")
        local said = start_with("k1 " .. edge.SECRET .. "\n")
        if not edge.sh("'%s' -V 2>&1", edge.nginx):find("openresty/") then
            assert.matches("SECKILL_CONTROL_REDIS is rediss://", said, 1, true)
        else
            assert.equal("124\n", said)
        end
    end)

    it("with a broken key file does not start, naming it", function()
        edge.render()
        for _, keys in ipairs { "", "k1 short\n" } do
            local said = start_with(keys)
            assert.matches("SECKILL_TOKEN_KEYS", said, 1, true)
            assert.matches("\n1\n$", said)
        end
    end)

    local function modules()
        return edge.sh("grep '^load_module' '%s/edge/nginx.conf'", edge.dir)
    end

    -- An nginx that has Lua however it is called, as OpenResty's; where this
    -- machine's has it built in, that one.
    local function nginx_with_lua()
        edge.render()
        local path = edge.dir .. "/openresty"
        edge.write(path, ("#!/bin/sh\nexec '%s' -g '%s' \"$@\"\n"):format(
            edge.nginx, (modules():gsub("\n", ""))))
        edge.sh("chmod +x '%s'", path)
        return path
    end

    it("asks the nginx that will run whether it has Lua, not the disk",
        function()
            local nginx = nginx_with_lua()
            assert.equal("", edge.render("SECKILL_NGINX='" .. nginx .. "'"))
            assert.equal("", modules())
            assert.matches("syntax is ok", edge.sh(
                "'%s' -t -p '%s/edge' -c nginx.conf -e error.log 2>&1",
                nginx, edge.dir))
        end)

    it("names the nginx that is missing or cannot have Lua", function()
        assert.matches("^nginx/render: SECKILL_NGINX is '/no/nginx'",
            edge.render("SECKILL_NGINX=/no/nginx"))
        local said = edge.render("SECKILL_NGINX_MODULES=/nowhere")
        if modules() ~= "" then
            assert.matches("SECKILL_NGINX_MODULES is '/nowhere'", said, 1, true)
        end
    end)

    it("asks the system's resolver only for a Redis given by name",
        function()
            local find = "grep -c '^ *resolver ' '%s/edge/nginx.conf'"
            edge.render("SECKILL_CONTROL_REDIS=redis://redis-control:6379")
            assert.equal("1\n", edge.sh(find, edge.dir))
            edge.render()
            assert.equal("0\n", edge.sh(find, edge.dir))
        end)
end)
