-- The control Redis away, reloads, killed workers: refused, never unlimited.

local edge = require "edge"

describe("the edge when something fails", function()
    setup(edge.start)
    teardown(edge.stop)

    local function log_lines(text)
        local _, lines = edge.error_log():gsub(text, "")
        return lines
    end

    it("is closed until the control Redis was read once", function()
        local function busy(status, headers, body)
            assert.equal(503, status)
            assert.equal("BUSY", body.code)
            assert.equal("1", headers["retry-after"])
        end
        busy(edge.buy("701", "a"))
        busy(edge.http("GET", "/seckill/sales"))
        local status, _, body = edge.http("GET", "/health",
            { base = edge.internal })
        assert.equal(503, status)
        assert.equal("DOWN", body.status)
        edge.start_redis()
        edge.sale("701", {}, 40)
        assert.equal(202, (edge.buy("701", "a")))
    end)

    it("keeps counters and tokens over a reload under load", function()
        edge.sale("702", {}, 100)
        local before = edge.status().decisions.PASSED
        local reload = "for i in 1 2 3; do kill -HUP %d; sleep 0.2; done &"
        edge.sh(reload, edge.edge_pid)
        local passed = 0
        for round = 1, 20 do
            local count = edge.crowd("702", "h" .. round .. "x", 60, 10)
            -- 503: a lease may be late on a busy machine
            assert.equal(60, (count[202] or 0) + (count[429] or 0)
                + (count[503] or 0))
            passed = passed + (count[202] or 0)
        end
        assert.equal(100, passed)
        assert.equal(before + 100, edge.status().decisions.PASSED)
    end)

    it("polls on after a worker was killed", function()
        local workers = edge.sh("pgrep -P %d", edge.edge_pid)
        edge.sh("kill -9 %s; sleep 0.2", (workers:gsub("\n", " ")))
        edge.redis("hset seckill:sale:701 name Renamed")
        assert.is_true(edge.within(2, function()
            local _, _, sale = edge.http("GET", "/seckill/sales/701")
            return type(sale) == "table" and sale.name == "Renamed"
        end))
    end)

    it("spends its tokens without Redis, then is busy", function()
        edge.sale("703", {}, 1000)
        assert.equal(202, (edge.buy("703", "a")))
        local logged = log_lines("cannot read the control Redis")
        edge.kill(edge.redis_pid, "9")
        edge.redis_pid = nil
        local count = edge.crowd("703", "r", 100, 10)
        assert.equal(31, count[202])
        assert.equal(69, (count[503] or 0) + (count[429] or 0))
        assert.is_true(count[503] > 0)
        assert.equal(503, (edge.buy("703", "late")))
        assert.equal(200, (edge.http("GET", "/seckill/sales/703")))
        assert.is_true(edge.within(1, function()
            return log_lines("cannot read the control Redis") > logged
        end))
        logged = log_lines("cannot read the control Redis")
        edge.sh("sleep 0.6")
        assert.equal(logged, log_lines("cannot read the control Redis"))
    end)

    it("is back within a second of Redis", function()
        edge.start_redis()
        edge.sale("704")
        assert.is_true(edge.within(1, function()
            return edge.buy("704", "a") == 202
        end))
    end)

    it("answers within a moment while Redis hangs", function()
        edge.sale("705", {}, 1000)
        edge.sh("kill -STOP %d", edge.redis_pid)
        local status, _, body = edge.http("POST",
            "/seckill/flash/sale/deduct?productId=705",
            { user = "a", curl = "-m 0.5" })
        edge.sh("kill -CONT %d", edge.redis_pid)
        assert.equal(503, status)
        assert.equal("BUSY", body.code)
    end)

    it("says BUSY when a service is away", function()
        edge.sale("706")
        edge.kill(edge.next_pid)
        edge.next_pid = nil
        for _, call in ipairs {
                { "POST", "/seckill/flash/sale/deduct?productId=706" },
                { "GET", "/seckill/flash/sale/result?productId=706" },
                { "GET", "/seckill/orders" } } do
            local status, headers, body = edge.http(call[1], call[2],
                { user = "a" })
            assert.equal(503, status)
            assert.equal("BUSY", body.code)
            assert.equal("1", headers["retry-after"])
        end
    end)
end)
