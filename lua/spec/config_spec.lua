-- Limits and sales changed by hand: in force within a second, bad ones never.

local edge = require "edge"

describe("limits and sales", function()
    setup(function()
        edge.start()
        edge.start_redis()
    end)
    teardown(edge.stop)

    it("are changed by hand within a second, both ways", function()
        edge.sale("612")
        local function closes_with(key, field, value)
            edge.redis("hset %s %s %s", key, field, value)
            return edge.within(1, function()
                return edge.buy("612", "a") == 429
            end)
        end
        local function opens_with(key, field, value)
            edge.redis("hset %s %s %s", key, field, value)
            return edge.within(1, function()
                return edge.buy("612", "a") == 202
            end)
        end
        local product = "seckill:limits:product:612"
        assert.is_true(closes_with(product, "qps", 0))
        assert.is_true(opens_with(product, "qps", 100))
        assert.is_true(closes_with("seckill:limits", "edge.global_qps", 0))
        assert.is_true(opens_with("seckill:limits", "edge.global_qps", 50))
    end)

    it("keep their last good value when a bad one is written", function()
        edge.redis("hset seckill:limits:product:613 qps 0")
        edge.sale("613")
        assert.equal(429, (edge.buy("613", "a")))
        for _, bad in ipairs { "nan", "inf", "-1", "0x10", "' 12'", "''",
                "1e9", "99999999", "ten", "'\\xff'" } do
            local errors = edge.status().configErrors
            edge.redis("hset seckill:limits:product:613 qps %s", bad)
            assert.is_true(edge.within(1, function()
                return edge.status().configErrors == errors + 1
            end))
            assert.equal(429, (edge.buy("613", "a")))
        end
        local _, lines = edge.error_log():gsub("613%.qps: not allowed", "")
        assert.equal(10, lines)
        edge.redis("del seckill:limits:product:613")
        edge.redis("set seckill:limits:product:613 text")
        edge.sh("sleep 0.6")
        assert.equal(429, (edge.buy("613", "a")))
    end)

    it("keep a sale as it was when the Redis lost its data", function()
        edge.sale("541")
        assert.equal(202, (edge.buy("541", edge.stranger())))
        edge.redis("srem seckill:sales 541")
        edge.redis("del seckill:sale:541")
        edge.sh("sleep 0.7")
        assert.equal(202, (edge.buy("541", edge.stranger())))
    end)

    it("keep a sale as it was when its hash is damaged", function()
        edge.sale("614")
        edge.redis("hset seckill:sale:614 end_at_ms never")
        edge.redis("sadd seckill:sales '*' 0 '6 14'")
        assert.is_true(edge.within(1, function()
            return edge.error_log():find("this end_at_ms", 1, true)
        end))
        assert.equal(202, (edge.buy("614", "a")))
    end)
end)
