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
                return edge.buy("612", "a") == 503
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
        assert.equal(503, (edge.buy("613", "a")))
        for _, bad in ipairs { "nan", "inf", "-1", "0x10", "' 12'", "''",
                "1e9", "99999999", "ten", "'\\xff'" } do
            local errors = edge.status().configErrors
            edge.redis("hset seckill:limits:product:613 qps %s", bad)
            assert.is_true(edge.within(1, function()
                return edge.status().configErrors == errors + 1
            end))
            assert.equal(503, (edge.buy("613", "a")))
        end
        local _, lines = edge.error_log():gsub("613%.qps: not allowed", "")
        assert.equal(10, lines)
        edge.redis("del seckill:limits:product:613")
        edge.redis("set seckill:limits:product:613 text")
        edge.sh("sleep 0.6")
        assert.equal(503, (edge.buy("613", "a")))
    end)

    it("keep a sale as it was when the Redis lost its data", function()
        edge.sale("541")
        assert.equal(202, (edge.buy("541", edge.stranger())))
        edge.redis("srem seckill:sales 541")
        edge.redis("del seckill:sale:541")
        edge.sh("sleep 0.7")
        assert.equal(202, (edge.buy("541", edge.stranger())))
    end)

    it("forget a synthetic sale with the list, its holders and tokens too",
        function()
            edge.sale("542", { synthetic = 1 })
            assert.equal(202, (edge.buy("542", "ann")))
            edge.redis("srem seckill:sales 542")
            edge.redis("del seckill:sale:542 seckill:quota:542")
            assert.is_true(edge.within(1, function()
                return edge.buy("542", edge.stranger()) == 404
            end))
            edge.sale("542", { sold_out = 1 })
            assert.equal(409, (edge.buy("542", "ann")))
            edge.redis("hset seckill:sale:542 sold_out 0")
            edge.redis("hset seckill:quota:542 issued 1000")
            assert.is_true(edge.within(1, function()
                return edge.buy("542", edge.stranger()) == 429
            end))
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

    it("stay in force when the set of sales is overfull", function()
        edge.sale("615")
        edge.sh("(seq 9000001 9010000; seq -f 'x%%g' 500)"
            .. " | xargs redis-cli -p %d sadd seckill:sales", edge.port + 4)
        local function closed_by(qps)
            edge.redis("hset seckill:limits:product:615 qps %d", qps)
            return edge.within(1, function()
                return (edge.buy("615", edge.stranger()) == 503) == (qps == 0)
            end)
        end
        assert.is_true(closed_by(0))
        assert.is_true(closed_by(1000))
        edge.sale("616")
        assert.equal(202, (edge.buy("616", edge.stranger())))
        edge.sh("sleep 0.6")
        local _, lines = edge.error_log():gsub("more than 10000 members", "")
        assert.equal(1, lines)
        assert.is_nil(edge.error_log():find("seckill:sale:9", 1, true))
    end)

    it("are found after a restart when the set is overfull", function()
        edge.kill(edge.edge_pid)
        edge.start_edge()
        assert.is_true(edge.within(2, function()
            return edge.http("GET", "/health", { base = edge.internal }) == 200
        end))
        for _, product in ipairs { "612", "615", "616" } do
            assert.is_true(edge.within(5, function()
                return edge.buy(product, edge.stranger()) == 202
            end))
        end
        edge.redis("hset seckill:limits edge.global_qps 0")
        assert.is_true(edge.within(1, function()
            return edge.buy("612", edge.stranger()) == 503
        end))
        edge.redis("hset seckill:limits edge.global_qps 1000")
    end)

    it("keep to the bound when there are more real sales", function()
        edge.redis([[eval "local sale = redis.call('hgetall', KEYS[1])
            for i = 9000001, 9010000 do
                local key = 'seckill:sale:' .. i
                redis.call('hset', key, unpack(sale))
                redis.call('hset', key, 'product_id', i)
            end" 1 seckill:sale:616]])
        local function listed()
            local _, _, got = edge.http("GET", "/seckill/sales")
            return #got.sales
        end
        assert.is_true(edge.within(10, function()
            return listed() == 10000
        end))
        edge.sh("sleep 0.6")
        assert.equal(10000, listed())
        assert.equal(202, (edge.buy("616", edge.stranger())))
    end)

    it("stay in force when the set of sales is none", function()
        edge.redis("set seckill:sales text")
        edge.redis("hset seckill:limits:product:616 qps 0")
        assert.is_true(edge.within(1, function()
            return edge.buy("616", edge.stranger()) == 503
        end))
    end)
end)
