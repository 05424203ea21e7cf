-- nginx/render and the start: bad settings stop with their name.

local edge = require "edge"

describe("nginx/render", function()
    setup(function()
        edge.prepare()
    end)
    teardown(edge.stop)

    -- What nginx says in its first second; 124 when it was still running.
    local function start_with(keys)
        local file = assert(io.open(edge.dir .. "/keys", "wb"))
        file:write(keys)
        file:close()
        return edge.sh("timeout 1 nginx -p '%s/edge' -c nginx.conf"
            .. " -e error.log 2>&1; echo $?", edge.dir)
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
                "SECKILL_WORKERS=many", "SECKILL_CONTROL_REDIS=localhost",
                "SECKILL_TOKEN_KEYS=/no/such/file", "SECKILL_BIND='a;b'",
                "SECKILL_TOKEN_KEYS=relative" } do
            assert.matches("nginx/render: " .. wrong:match("^[^=]+"),
                edge.render(wrong), 1, true)
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

    it("loads no module where nginx has Lua built in", function()
        edge.render("SECKILL_NGINX_MODULES=/nowhere")
        assert.equal("", edge.sh("grep '^load_module' '%s/edge/nginx.conf'",
            edge.dir))
    end)

    it("asks the system's resolver only for a Redis given by name",
        function()
            local find = "grep -c '^ *resolver ' '%s/edge/nginx.conf'"
            edge.render("SECKILL_CONTROL_REDIS=redis-control:6379")
            assert.equal("1\n", edge.sh(find, edge.dir))
            edge.render()
            assert.equal("0\n", edge.sh(find, edge.dir))
        end)
end)
