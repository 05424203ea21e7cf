-- The clock of a node is set by an hour, ahead or back, while a crowd wants to
-- buy: no rate passes more, no quota is passed twice, and nothing waits for the
-- time that was.

local balance = require "balance"
local edge = require "edge"
local faketime = require "faketime"

local HOUR = 3600
local STEPS = { { "ahead", HOUR }, { "back", -HOUR } }

local function deduct(product)
    return "/seckill/flash/sale/deduct?productId=" .. product
end

-- Of users nobody has seen, whose tokens are good at each of these times.
local function attempts(product, count)
    local requests = edge.attempts(product, count)
    for _, request in ipairs(requests) do
        request.token = edge.token(request[3], { exp = os.time() + 3 * HOUR })
    end
    return requests
end

local function buy(product)
    edge.prepare_run(attempts(product, 1), "one")
    return edge.run("one", 1)[1].status
end

local function becomes(product, status, seconds)
    return edge.within(seconds or 1, function()
        return buy(product) == status
    end)
end

describe("while the clock of a node is set", function()
    setup(function()
        edge.start()
        edge.start_redis()
        edge.stop_edge()
        edge.sh("sed -i '1i %s' '%s/edge/nginx.conf'", faketime.lines(),
            edge.dir)
        edge.start_edge(faketime.environment())
        edge.redis("hset seckill:limits edge.global_qps 1000000")
    end)
    teardown(edge.stop)

    local function sale(product, total)
        local now = edge.now_ms()
        edge.redis("hset seckill:limits:product:%s qps 1000000", product)
        edge.sale(product, { start_at_ms = now - 3 * HOUR * 1000,
            end_at_ms = now + 3 * HOUR * 1000 }, total)
    end

    -- Sets it in the middle of what run() does, and back at the end.
    local function set_within(step, after_s, run)
        edge.sh("(sleep %g; printf '%%+d\\n' %d >'%s/clock.step';"
            .. " mv '%s/clock.step' '%s/clock') >/dev/null 2>&1 &", after_s,
            step[2], edge.dir, edge.dir, edge.dir)
        run()
    end

    local function set_back()
        faketime.set(0)
        edge.sleep(1.2)
    end

    it("it is the clock of the sales", function()
        local _, _, before = edge.http("GET", "/seckill/sales")
        faketime.set(HOUR)
        edge.sleep(0.3)
        local _, _, after = edge.http("GET", "/seckill/sales")
        set_back()
        assert.is_true(tonumber(after.serverTime:match("T(%d+)"))
            == (tonumber(before.serverTime:match("T(%d+)")) + 1) % 24)
    end)

    for i, step in ipairs(STEPS) do
        local product = "148" .. i
        local rate = 60

        it("an hour " .. step[1] .. " a rate passes no more in any second",
            function()
                sale(product, 100000)
                edge.redis("hset seckill:limits:product:%s qps %d", product,
                    rate)
                edge.sleep(1)
                edge.prepare_run(attempts(product, 3 * rate), "crowd")
                edge.densest(1)
                set_within(step, 1.25, function()
                    local ends = edge.now() + 3
                    edge.sh("while [ $(date +%%s%%N) -lt %.0f ]; do curl -s -Z"
                        .. " --parallel-max 4 -K '%s/crowd' >/dev/null 2>&1;"
                        .. " done", ends * 1e9, edge.dir)
                end)
                -- what passed in a second may be on its way for a while
                local most = edge.densest(0.8)
                set_back()
                assert.is_true(most <= rate, most .. " within a second")
                assert.is_true(most >= rate * 0.8, most .. " within a second")
            end)

        it("an hour " .. step[1] .. " a quota is passed exactly", function()
            product = "149" .. i
            sale(product, 300)
            edge.seen()
            local passed = 0
            local function flood(count)
                passed = passed + (edge.flood(attempts(product, count),
                    8)[202] or 0)
            end
            local function issued()
                return tonumber(edge.redis("hget seckill:quota:%s issued",
                    product))
            end
            set_within(step, 0.2, function()
                for _ = 1, 6 do
                    flood(60)
                end
            end)
            assert.is_true(edge.within(5, function()
                flood(60)
                return issued() == 300
            end), issued())
            for _ = 1, 3 do
                flood(60)
            end
            assert.is_true(passed <= 300, passed .. " passed")
            -- stock-service raises it while units are left
            edge.redis("hset seckill:quota:%s total %d", product,
                600 - passed)
            assert.is_true(edge.within(3, function()
                flood(60)
                return passed >= 300
            end), passed .. " passed")
            set_back()
            assert.equal(300, passed)
            assert.equal(300, edge.seen())
        end)

        it("an hour " .. step[1] .. " a quota that is raised is open within a"
            .. " second", function()
                product = "150" .. i
                sale(product, 1)
                assert.is_true(becomes(product, 202))
                edge.prepare_run(attempts(product, 100), "crowd")
                set_within(step, 0.1, function()
                    local ends = edge.now() + 0.6
                    repeat
                        edge.run("crowd", 2)
                    until edge.now() > ends
                end)
                edge.redis("hset seckill:quota:%s total 2", product)
                local is_open = becomes(product, 202)
                set_back()
                assert.is_true(is_open)
            end)

        it("an hour " .. step[1] .. " one of a user's parallel attempts passes",
            function()
                product = "151" .. i
                sale(product, 1000)
                edge.seen()
                local token = edge.token("slow151", { exp = os.time()
                    + 3 * HOUR })
                local requests = {}
                for j = 1, 30 do
                    requests[j] = { "POST", deduct(product), token = token }
                end
                local count
                set_within(step, 0.2, function()
                    count = edge.flood(requests, 30)
                end)
                set_back()
                -- 503: who came in the second after it was set ahead
                local passed = count[202] or 0
                assert.is_true(passed == 1 or passed == 0 and count[503] == 30)
                assert.equal(30, passed + (count[429] or 0)
                    + (count[503] or 0))
                assert.equal(passed, edge.seen())
            end)

        it("an hour " .. step[1] .. " limits are in force within a second, and"
            .. " the node has its share", function()
                product = "152" .. i
                sale(product, 1000)
                faketime.set(step[2])
                edge.sleep(0.1)
                edge.redis("hset seckill:limits:product:%s qps 0", product)
                local is_closed = becomes(product, 503)
                edge.sleep(1.2)
                is_closed = is_closed and buy(product) == 503
                edge.redis("hset seckill:limits:product:%s qps 1000", product)
                local is_open = becomes(product, 202)
                local health = edge.http("GET", "/health",
                    { base = edge.internal })
                set_back()
                assert.same({ true, true, 200 },
                    { is_closed, is_open, health })
            end)
    end

    it("no stop of a worker is taken for a step of the clock", function()
        sale("1530", 1000)
        assert.is_true(becomes("1530", 202))
        edge.prepare_run(attempts("1530", 40), "after")
        local workers = edge.sh("pgrep -P %d", edge.edge_pid):gsub("\n", " ")
        edge.sh("kill -STOP %s; sleep 2; kill -CONT %s", workers, workers)
        assert.same({ [202] = 40 }, edge.tally(edge.run("after", 4)))
    end)

    -- What nginx has read of the time is old when its start took long.
    it("no long start is taken for one", function()
        edge.stop_edge()
        -- No program of its own: the library would leave its memory behind.
        edge.sh("sed -i 's/init_worker_by_lua_block {/&\\nlocal at ="
            .. " os.clock() repeat until os.clock() - at > 1.2/'"
            .. " '%s/edge/nginx.conf'", edge.dir)
        edge.start_edge(faketime.environment())
        assert.is_true(edge.within(4, function()
            local status, _, body = edge.buy("1530", edge.stranger())
            assert.not_equal("PAUSED", body.code)
            return status == 202
        end))
    end)

    it("every request was counted once", function()
        assert.equal("", balance.unbalanced())
        for _, word in ipairs { "runtime error", "failed", "aborted" } do
            assert.is_nil(edge.error_log():find(word, 1, true))
        end
    end)

    it("an hour back a node that is cut off from the control Redis is closed"
        .. " after five seconds all the same", function()
            sale("1529", 100000)
            for _ = 1, 3 do
                edge.prepare_run(attempts("1529", 200), "some")
                edge.run("some", 4)
            end
            edge.sh("kill -STOP %d", edge.redis_pid)
            edge.sleep(1)
            faketime.set(-HOUR)
            edge.sleep(1)
            local goes_on = buy("1529")
            edge.sleep(4.5)
            local ends_as = buy("1529")
            edge.sh("kill -CONT %d", edge.redis_pid)
            set_back()
            assert.same({ 202, 503 }, { goes_on, ends_as })
            assert.is_true(becomes("1529", 202, 3))
        end)
end)
