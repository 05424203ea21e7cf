-- The control Redis loses its data, or nginx starts without it: limits that an
-- operator set stay in force, and what is missing is no default.

local edge = require "edge"
local redis_keys = require "seckill.config.redis_keys"

local KEPT = redis_keys.LIMITS_KEPT

describe("limits", function()
    setup(function()
        edge.start()
        edge.start_redis()
        edge.redis("hset seckill:limits:product:641 qps 0")
        edge.sale("641")
        edge.sale("642")
    end)
    teardown(edge.stop)

    local function buy(product)
        return (edge.buy(product, edge.stranger()))
    end

    local function becomes(product, status)
        return edge.within(1, function()
            return buy(product) == status
        end)
    end

    local function said(text)
        return edge.count_of(edge.error_log(), text)
    end

    -- What stock-service puts back first: sales, and not yet limits.
    local function lose_all()
        edge.redis("flushall")
        edge.sales { "641", "642" }
        edge.redis("del " .. KEPT)
    end

    -- For long enough that a poll would have changed it.
    local function stay()
        local ends = edge.now() + 0.8
        while edge.now() < ends do
            assert.equal(503, buy("641"))
            assert.equal(202, buy("642"))
            edge.sleep(0.02)
        end
    end

    local function restart()
        edge.stop_edge()
        edge.start_edge()
        edge.sleep(1.1)  -- this second was given to the one before
    end

    it("that are set are in force, and no others", function()
        assert.equal(503, buy("641"))
        assert.equal(202, buy("642"))
    end)

    it("stay when the control Redis has lost them, and are said to be lost",
        function()
            local before = said("has lost its limits")
            lose_all()
            stay()
            assert.equal("lost", edge.status().limits)
            assert.equal(before + 1, said("has lost its limits"))
        end)

    it("that an operator sets before the lost ones are back count", function()
        edge.redis("hset seckill:limits:product:642 qps 0")
        assert.is_true(becomes("642", 503))
        assert.equal(503, buy("641"))
        edge.redis("hset seckill:limits:product:642 qps 1000")
        assert.is_true(becomes("642", 202))
    end)

    it("that are removed before the lost ones are back stay", function()
        edge.redis("hdel seckill:limits:product:642 qps")
        stay()
    end)

    it("are as they were put back", function()
        edge.redis("hset seckill:limits:product:641 qps 0")
        edge.redis("set %s again", KEPT)
        assert.is_true(edge.within(1, function()
            return edge.status().limits == "kept"
        end))
        stay()
    end)

    it("are the default once an operator has removed them", function()
        edge.redis("hdel seckill:limits:product:641 qps")
        assert.is_true(becomes("641", 202))
        edge.redis("hset seckill:limits:product:641 qps 0")
        assert.is_true(becomes("641", 503))
    end)

    it("outlive a start of nginx while the control Redis is down", function()
        edge.sleep(1.3)  -- written once a second
        edge.kill(edge.redis_pid, "9")
        restart()
        assert.is_true(edge.within(2, function()
            return edge.http("GET", "/health", { base = edge.internal }) == 200
        end))
        assert.equal(503, buy("641"))
        assert.equal(503, buy("642"))  -- nobody leases it a token
        assert.equal(200, (edge.http("GET", "/seckill/sales/642")))
    end)

    it("outlive a start of nginx once the control Redis is empty", function()
        edge.start_redis()
        edge.redis("del " .. KEPT)
        restart()
        edge.sales { "641", "642" }
        stay()
    end)

    it("are no default at a start without a file, nor is any sale unknown",
        function()
            for _, damage in ipairs { "rm", "truncate -s -9" } do
                lose_all()
                edge.stop_edge()
                edge.sh("%s '%s/edge/in-force.json'", damage, edge.dir)
                edge.start_edge()
                local ends = edge.now() + 0.6
                while edge.now() < ends do
                    local status = buy("642")
                    assert.equal(503, status)
                end
                assert.equal(503, (edge.http("GET", "/health",
                    { base = edge.internal })))
                edge.redis("hset seckill:limits:product:641 qps 0")
                edge.keep_limits()
                assert.is_true(becomes("642", 202))
                assert.equal(503, buy("641"))
                edge.sleep(1.3)
            end
            assert.equal(1, said("is torn and passed over"))
        end)
end)
