-- Two edge nodes on one control Redis: what they share is exact over both,
-- what is a node's own is each node's, and neither needs the other.

local edge = require "edge"

describe("two nodes", function()
    local NODES = { edge.url, edge.second_url }
    local INTERNAL = { edge.internal, edge.second_internal }

    setup(function()
        edge.start()
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        edge.start_second()
    end)
    teardown(edge.stop)
    before_each(edge.seen)

    local function issued(product)
        return tonumber(edge.redis("hget seckill:quota:%s issued", product))
    end

    local function decisions(code)
        local sum = 0
        for _, internal in ipairs(INTERNAL) do
            sum = sum + edge.status(internal).decisions[code]
        end
        return sum
    end

    -- A sale that both nodes know.
    local function sale(product, changes, total)
        edge.sale(product, changes, total)
        assert.is_true(edge.within(2, function()
            return edge.http("GET", "/seckill/sales/" .. product,
                { base = edge.second_url }) == 200
        end))
    end

    local function buy(node, product, user)
        local status = edge.http("POST",
            "/seckill/flash/sale/deduct?productId=" .. product,
            { base = NODES[node], user = user or edge.stranger() })
        return status
    end

    local function on_both(product, count)
        local requests = edge.attempts(product, count, NODES[1])
        for i = 2, count, 2 do
            requests[i][4] = NODES[2]
        end
        return requests
    end

    -- Floods both until want have passed; what passed, and how often a
    -- lease that a busy machine made late was answered 503.
    local function sell(product, want)
        local passed, late = 0, 0
        for _ = 1, 20 do
            local count = edge.flood(on_both(product, 200), 20)
            assert.equal(200, (count[202] or 0) + (count[429] or 0)
                + (count[503] or 0))
            passed = passed + (count[202] or 0)
            late = late + (count[503] or 0)
            if passed >= want then
                break
            end
        end
        return passed, late
    end

    it("let exactly the quota pass together", function()
        sale("901", {}, 150)
        local before = decisions "PASSED"
        assert.equal(150, (sell("901", 150)))
        assert.equal(150, issued("901"))
        assert.equal(150, edge.seen())
        assert.equal(before + 150, decisions "PASSED")
        assert.same({ [429] = 60 }, edge.flood(on_both("901", 60), 10))
    end)

    it("keep quotas of two products apart", function()
        sale("902", {}, 40)
        sale("903", {}, 70)
        local requests = on_both("902", 100)
        for _, request in ipairs(on_both("903", 150)) do
            requests[#requests + 1] = request
        end
        local passed = 0
        for _ = 1, 10 do
            passed = passed + (edge.flood(requests, 20)[202] or 0)
            for _, request in ipairs(requests) do
                request[3] = edge.stranger()
            end
        end
        assert.equal(110, passed)
        assert.same({ 40, 70 }, { issued("902"), issued("903") })
    end)

    it("spend each its own lease only", function()
        sale("904", {}, 1000)
        assert.equal(202, buy(1, "904"))
        assert.equal(32, issued("904"))
        edge.redis("hset seckill:quota:904 total 32")
        assert.equal(429, buy(2, "904"))
        assert.same({ [202] = 31, [429] = 9 },
            edge.flood(edge.attempts("904", 40, NODES[1]), 1))
        assert.equal(429, buy(2, "904"))
    end)

    it("take a token back on the node that spent it", function()
        sale("905", {}, 1)
        assert.equal(409, buy(2, "905", "bought1"))
        assert.equal(429, buy(1, "905"))
        assert.equal(202, buy(2, "905"))
        assert.equal(429, buy(2, "905"))
        assert.equal(1, issued("905"))
    end)

    it("let each its own rate pass, as limits.json says", function()
        edge.redis("hset seckill:limits:product:906 qps 10")
        sale("906", {}, 100000)
        local per_node
        for _ = 1, 3 do
            for node = 1, 2 do
                edge.prepare_run(edge.attempts("906", 15, NODES[node]),
                    "rate" .. node)
            end
            edge.sleep_until(0)
            local second = math.floor(edge.now())
            per_node = { edge.tally(edge.run("rate1", 1)),
                edge.tally(edge.run("rate2", 1)) }
            if math.floor(edge.now()) == second then
                break
            end
        end
        local want = { [202] = 10, [429] = 5 }
        assert.same({ want, want }, per_node)
    end)

    it("learn a limit within a second, both ways", function()
        sale("907", {}, 100000)
        for _, step in ipairs { { 0, 503 }, { 1000, 202 }, { 0, 503 } } do
            edge.redis("hset seckill:limits:product:907 qps %d", step[1])
            assert.is_true(edge.within(1, function()
                return buy(1, "907") == step[2] and buy(2, "907") == step[2]
            end))
        end
    end)

    it("learn within a second that a sale is sold out, and is not", function()
        sale("908", {}, 100000)
        for _, step in ipairs { { 1, 409 }, { 0, 202 } } do
            edge.redis("hset seckill:sale:908 sold_out %d", step[1])
            assert.is_true(edge.within(1, function()
                return buy(1, "908") == step[2] and buy(2, "908") == step[2]
            end))
        end
    end)

    it("both open within a second when the quota's total is raised",
        function()
            sale("909", {}, 2)
            assert.equal(2, (sell("909", 2)))
            assert.same({ 429, 429 }, { buy(1, "909"), buy(2, "909") })
            edge.redis("hset seckill:quota:909 total 66")
            local passed = 0
            local ends = edge.now() + 1
            while edge.now() < ends do
                for node = 1, 2 do
                    passed = passed + (buy(node, "909") == 202 and 1 or 0)
                end
            end
            assert.is_true(passed > 2)
            local more = sell("909", 64 - passed)
            assert.equal(64, passed + more)
            assert.equal(66, issued("909"))
        end)

    it("lose and double nothing while one is reloaded under load",
        function()
            sale("910", {}, 200)
            local before = { decisions "PASSED", decisions "ACCEPTED",
                decisions "LEASE_FAILED" }
            edge.sh("for i in 1 2 3 4; do kill -HUP %d; sleep 0.15; done &",
                edge.second_pid)
            local passed, late = sell("910", 200)
            assert.equal(200, passed)
            assert.equal(200, edge.seen())
            assert.equal(200, issued("910"))
            assert.is_true(late == 0
                or decisions "LEASE_FAILED" > before[3], "503 by a reload")
            assert.equal(before[1] + 200, decisions "PASSED")
            assert.equal(before[2] + 200, decisions "ACCEPTED")
        end)

    it("strand no more than its lease when one dies", function()
        sale("911", {}, 40)
        assert.equal(202, buy(2, "911"))
        edge.kill_node "second_pid"
        -- a quarter of what was left
        assert.same({ [202] = 30, [429] = 10 },
            edge.flood(edge.attempts("911", 40), 1))
        -- stock-service raises the total while units are left.
        edge.redis("hset seckill:quota:911 total 71")
        edge.sleep(0.15)
        assert.same({ [202] = 31, [429] = 9 },
            edge.flood(edge.attempts("911", 40), 1))
    end)

    it("pass nothing of an old lease once the dead one is back", function()
        edge.start_second()
        assert.is_true(edge.within(2, function()
            return edge.http("GET", "/health",
                { base = edge.second_internal }) == 200
        end))
        assert.same({ [429] = 40 }, edge.flood(on_both("911", 40), 4))
        edge.redis("hset seckill:quota:911 total 75")
        edge.sleep(0.15)
        assert.equal(4, (sell("911", 4)))
        assert.equal(75, issued("911"))
    end)

    it("are each healthy or not by what they know themselves",
        function()
            edge.kill_node "second_pid"
            edge.sh("rm '%s/second/in-force.json'", edge.dir)
            edge.sh("kill -STOP %d", edge.redis_pid)
            edge.start_second()
            local first = edge.http("GET", "/health",
                { base = edge.internal })
            local second = edge.http("GET", "/health",
                { base = edge.second_internal })
            local attempts = { buy(2, "907"), buy(2, "910") }
            edge.sh("kill -CONT %d", edge.redis_pid)
            assert.same({ 200, 503 }, { first, second })
            assert.same({ 503, 503 }, attempts)
            assert.is_true(edge.within(2, function()
                return edge.http("GET", "/health",
                    { base = edge.second_internal }) == 200
            end))
        end)
end)
