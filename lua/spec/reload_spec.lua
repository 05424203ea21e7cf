-- A reload: a leaving worker that is polling the control Redis lets the next
-- one poll at once, nothing fails, its last answers say that they are, and who
-- keeps an idle connection goes on with another.

local balance = require "balance"
local edge = require "edge"

describe("a reload", function()
    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("661")
    end)
    teardown(edge.stop)

    -- Polls last 30 ms from here on, so that some reload meets one.
    local function slow_down()
        return tonumber((edge.sh("redis-cli -p %d -r 100000 debug sleep 0.03"
            .. " >/dev/null 2>&1 & echo $!", edge.port + 4)))
    end

    it("in the middle of a poll fails in no worker, and limits are felt within"
        .. " a second", function()
        local slow = slow_down()
        for round = 1, 12 do
            edge.sh("kill -HUP %d; sleep 0.%d", edge.edge_pid,
                20 + round * 3)
            local closed = round % 2 == 0
            edge.redis("hset seckill:limits:product:661 qps %d",
                closed and 0 or 1000)
            assert.is_true(edge.within(1.2, function()
                return (edge.buy("661", edge.stranger()) == 503) == closed
            end), "round " .. round)
        end
        edge.kill(slow)
        assert.is_nil(edge.error_log():find("process exiting", 1, true))
        assert.is_nil(edge.error_log():find("polls no more", 1, true))
    end)

    it("each second under load loses and doubles nothing, and no answer is a"
        .. " 5xx or missing", function()
            local total = 2000
            edge.redis("hset seckill:limits edge.global_qps 1000000")
            edge.redis("hset seckill:limits:product:662 qps 1000000")
            edge.sale("662", {}, total)
            edge.seen()
            local before = edge.status().decisions
            edge.sh("(for i in $(seq 6); do sleep 1; kill -HUP %d; done)"
                .. " >/dev/null 2>&1 &", edge.edge_pid)
            local ends, passed, refused = edge.now() + 6.5, 0, 0
            repeat
                local count = edge.flood(edge.attempts("662", 100), 10)
                passed = passed + (count[202] or 0)
                refused = refused + (count[429] or 0)
                local late = edge.status().decisions.LEASE_FAILED
                    > before.LEASE_FAILED and count[503] or 0
                assert.equal(100, (count[202] or 0) + (count[429] or 0) + late)
            until edge.now() > ends and refused > 0 or edge.now() > ends + 30
            local after = edge.status().decisions
            assert.is_true(refused > 0, "the quota was not used up")
            assert.same({ total, total, total },
                { passed, edge.seen(), after.PASSED - before.PASSED })
            assert.equal(refused,
                after.TOO_MANY_REQUESTS - before.TOO_MANY_REQUESTS)
            assert.equal("", balance.unbalanced(5))
        end)

    -- The Connection headers of an answer that takes a second and a half.
    local function connections_of(method, path, reload)
        local command = reload and ("(sleep 0.2; kill -HUP %d) &")
            :format(edge.edge_pid) or ""
        local head = edge.sh("%s curl -s -i --max-time 8 -X %s"
            .. " -H 'Authorization: Bearer %s' '%s%s'", command, method,
            edge.token(("slower%d"):format(edge.now_ms())), edge.url, path)
        local list = {}
        for line in head:gmatch("[^\r\n]+") do
            local value = line:match("^[Cc]onnection: (.*)$")
            if value then
                list[#list + 1] = value
            end
        end
        return list
    end

    it("is told in the last answer of a connection", function()
        edge.redis("hset seckill:limits:product:661 qps 1000")
        edge.sleep(1)
        for _, call in ipairs {
                { "POST", "/seckill/flash/sale/deduct?productId=661" },
                { "GET", "/seckill/flash/sale/result?productId=661" },
                { "GET", "/seckill/orders" } } do
            assert.same({ "keep-alive" }, connections_of(call[1], call[2]))
            assert.same({ "close" }, connections_of(call[1], call[2], true))
            edge.sleep(0.3)
        end
    end)

    -- Of two attempts one after the other, as a client that keeps connections
    -- makes them: their status, and how many connections each has made.
    local function kept_connection(reload)
        local path = "/seckill/flash/sale/deduct?productId=661"
        return edge.sh("%s curl -s -X POST --rate 40/m --max-time 8"
            .. " -H 'Authorization: Bearer %s' -o /dev/null -o /dev/null"
            .. " -w '%%{http_code} %%{num_connects}\\n' '%s%s' '%s%s'",
            reload and ("(sleep 0.4; kill -HUP %d) &"):format(edge.edge_pid)
            or "", edge.token(edge.stranger()), edge.url, path, edge.url, path)
    end

    it("closes idle connections, and their clients are served on new ones",
        function()
            assert.equal("202 1\n202 0\n", kept_connection())
            assert.equal("202 1\n202 1\n", kept_connection(true))
        end)
end)
