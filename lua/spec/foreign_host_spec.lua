-- Where the shop's hosts are named, a request for any other one is refused.

local edge = require "edge"

describe("with SECKILL_HOSTS", function()
    setup(function()
        edge.start("SECKILL_HOSTS='shop.example www.shop.example'")
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        edge.sh("sleep 0.6")
    end)
    teardown(edge.stop)

    local function ask(method, path, host, user)
        return edge.http(method, path, { user = user,
            headers = { "Host: " .. host } })
    end

    local function set_sale()
        edge.sale("941", {}, 1000)
    end

    it("a request of these hosts is served, at any port and in any case",
        function()
            assert.has_error(set_sale)  -- its client asks for 127.0.0.1
            for _, host in ipairs { "shop.example", "www.shop.example",
                    "SHOP.example", "shop.example:8080" } do
                assert.equal(200, (ask("GET", "/seckill/sales", host)))
                assert.equal(202, (ask("POST",
                    "/seckill/flash/sale/deduct?productId=941", host,
                    edge.stranger())))
                assert.equal(200, (ask("GET", "/", host)))
            end
        end)

    it("a request of any other host is 400, and nothing goes on", function()
        edge.seen()
        for _, host in ipairs { "127.0.0.1", "evil.example", "shop.example.",
                "a.shop.example", "shop.example.evil", "_" } do
            local trimmed = host ~= "shop.example."  -- which is the same name
            for _, call in ipairs { { "GET", "/seckill/sales" }, { "GET", "/" },
                    { "POST", "/seckill/flash/sale/deduct?productId=941" } } do
                local status, headers, body = ask(call[1], call[2], host,
                    edge.stranger())
                if trimmed then
                    assert.equal(400, status, host)
                    assert.equal("BAD_REQUEST", body.code)
                    assert.equal("Host: not served here", body.message)
                    assert.is_string(headers["x-request-id"])
                end
            end
        end
        assert.equal(1, edge.seen())  -- that of the same name
    end)

    it("every request is still counted once", function()
        local text = edge.sh("curl -s %s/metrics", edge.internal)
        local function count(name)
            return tonumber(text:match("\n" .. name .. "{[^}]*} (%d+)"))
        end
        assert.equal(count "seckill_requests_total",
            count "seckill_attempts_total" + count "seckill_calls_total")
    end)
end)
