-- Orders wait too long, as order-service says in seckill:backlog: a share of
-- the first attempts passes, exact over all workers, and who is held back has
-- lost nothing.

local balance = require "balance"
local edge = require "edge"
local examples = require "examples"
local redis_keys = require "seckill.config.redis_keys"
local refusal = require "refusal"

local BACKLOG = redis_keys.BACKLOG
local MAX_AGE = "order.backlog_max_age_ms"
local MEGABYTE = 1024 * 1024

local function known()
    return edge.status().backlog
end

local function becomes(wait_ms, share)
    return edge.within(1, function()
        local backlog = known()
        return backlog and backlog.estimatedWaitMs == wait_ms
            and (not share or math.abs(backlog.share - share) < 1e-9)
    end)
end

-- As order-service does, once: the edge believes it for five seconds. No two
-- are of one instant.
local at_ms = 0
local function publish(wait_ms)
    at_ms = math.max(at_ms + 1, edge.now_ms())
    edge.redis_all { { "SET", BACKLOG, ('{"estimatedWaitMs":%d,"atMs":%d}')
        :format(wait_ms, at_ms), "PX", "5000" } }
    assert.is_true(becomes(wait_ms), wait_ms .. " was not taken over")
end

local function is_gone()
    return known() == nil
end

local function silence()
    edge.redis("del %s", BACKLOG)
    assert.is_true(edge.within(1, is_gone))
end

local function set_max_age(ms)
    edge.redis("hset seckill:limits %s %s", MAX_AGE, ms)
    edge.sleep(0.6)
end

local function start(workers, extras)
    edge.start("SECKILL_WORKERS=" .. workers, extras)
    edge.start_redis()
    edge.redis("hset seckill:limits edge.global_qps 1000000")
end

-- A sale of much stock whose rate stops nobody, with tokens in hand.
local function open(product, total)
    edge.redis("hset seckill:limits:product:%s qps 1000000", product)
    edge.sale(product, {}, total or 100000)
    assert.equal(202, (edge.buy(product, edge.stranger())))
end

local function growth(before)
    local after = balance.read()
    return function(series)
        return (after[series] or 0) - (before[series] or 0)
    end
end

for _, workers in ipairs { 1, 4 } do
    describe("of first attempts, on " .. workers .. " workers,", function()
        setup(function()
            start(workers)
            open "811"
            edge.flood(edge.attempts("811", 300), 16)
        end)
        teardown(edge.stop)

        -- How many of so many pass; the others are told BUSY and counted.
        local function passed_of(count)
            local before = balance.read()
            local tally = edge.flood(edge.attempts("811", count), 16)
            local grown = growth(before)
            assert.equal(count, (tally[202] or 0) + (tally[503] or 0))
            assert.equal(tally[503] or 0, grown "seckill_held_back_total")
            assert.equal(0, grown 'seckill_refused_total{code="BUSY"}')
            return tally[202] or 0
        end

        for wait_ms, share in pairs { [33000] = 0.5, [36000] = 0.25,
                [30300] = 2 ^ -0.1, [42000] = 0.0625 } do
            it(("%.3f pass while orders wait for %d ms"):format(share, wait_ms),
                function()
                    publish(wait_ms)
                    local count = 480
                    local off = passed_of(count) - share * count
                    assert.is_true(math.abs(off) <= workers, off .. " off")
                end)
        end

        it("all pass while orders wait for the limit, and not one ms more",
            function()
                set_max_age(1000)
                publish(1000)
                assert.equal(480, passed_of(480))
                publish(1001)
                local held_back = 480 - passed_of(480)
                set_max_age(30000)
                -- 2 ^ -0.01 of them pass
                assert.is_true(math.abs(held_back - 480 * 0.0069) <= workers,
                    held_back .. " were held back")
                assert.is_true(held_back >= 1 or workers > 1)
            end)

        it("few pass however long orders wait, and never none", function()
            publish(99999999999999)
            local passed, tries = 0, 0
            while passed == 0 and tries < 10 do
                tries = tries + 1
                publish(99999999999999)
                passed = passed_of(480)
            end
            assert.is_true(passed >= 1 and passed <= 1 + workers, passed)
        end)

        it("all pass once nobody says how long orders wait", function()
            publish(60000)
            assert.is_true(passed_of(200) <= workers + 1)
            edge.redis("del %s", BACKLOG)
            assert.is_true(edge.within(1, is_gone))
            assert.equal(200, passed_of(200))
        end)

        it("all are counted, and the equations hold", function()
            publish(33000)
            local before = edge.status().decisions
            local held_back = 100 - passed_of(100)
            local after = edge.status().decisions
            assert.is_true(held_back > 0)
            assert.equal(held_back, after.HELD_BACK - before.HELD_BACK)
            assert.equal(held_back, after.BUSY - before.BUSY)
            assert.equal("", balance.unbalanced())
        end)
    end)
end

describe("who is held back because orders wait too long", function()
    setup(function()
        start(1, true)
        open "821"
        edge.sale("822", { sold_out = 1 })
        edge.redis("hset seckill:limits:product:823 qps 0")
        edge.sale("823")
        edge.sale("824", { start_at_ms = edge.now_ms() + 600000 })
    end)
    teardown(edge.stop)

    local function keys(dict)
        local _, _, text = edge.http("GET", "/keys?dict=" .. dict,
            { base = edge.internal })
        return text
    end

    -- Holds the next 500 back: less than half a turn is owed to anybody.
    local function close()
        publish(33000)
        assert.is_true(edge.within(1, function()
            return edge.buy("821", edge.stranger()) == 202
        end))
        publish(99999999999999)
        edge.seen()
    end

    it("is told to come again, and how long orders wait", function()
        close()
        publish(123456)
        local status, headers, body = edge.buy("821", edge.stranger())
        assert.equal(503, status)
        assert.equal("BUSY", body.code)
        assert.equal(123456, body.estimatedWaitMs)
        assert.is_nil(refusal.objection(status, headers, body))
        assert.equal("no-store", headers["cache-control"])
        assert.equal(0, edge.seen())
    end)

    it("has taken no token, no mark and none of any rate", function()
        edge.sale("826", {}, 60)
        edge.redis("hset seckill:limits:product:826 qps 1000000")
        close()
        local before = balance.read()
        assert.same({ [503] = 300 }, edge.flood(edge.attempts("826", 300), 8))
        local grown = growth(before)
        assert.equal(0, grown "seckill_tokens_spent_total")
        assert.equal(0, grown "seckill_leases_total")
        assert.equal("0", edge.redis("hget seckill:quota:826 issued"))
        assert.is_nil(keys("seckill_rates"):find("deduct:826:", 1, true))
        assert.equal("", keys "seckill_inflight")
        assert.is_nil(keys("seckill_holders"):find("826|", 1, true))
        silence()
        -- a lease is a quarter of what is left
        local passed = 0
        for _ = 1, 20 do
            passed = passed
                + (edge.flood(edge.attempts("826", 20), 1)[202] or 0)
        end
        assert.equal(60, passed)
    end)

    it("may come again at once, and passes when it is due", function()
        close()
        local user = edge.stranger()
        for _ = 1, 3 do
            assert.equal(503, (edge.buy("821", user)))
        end
        publish(33000)
        local statuses = { (edge.buy("821", user)), (edge.buy("821", user)) }
        assert.is_true(statuses[1] == 202 or statuses[2] == 202)
    end)

    it("is not one who may hold a unit: the shard tells him", function()
        silence()
        for _, user in ipairs { "bought1", "unknown1", "buyer1" } do
            edge.buy("821", user)
        end
        close()
        for _ = 1, 5 do
            local status, _, body = edge.buy("821", "bought1")
            assert.equal(409, status)
            assert.equal("ALREADY_BOUGHT", body.code)
        end
        assert.equal(503, (edge.buy("821", "unknown1")))
        assert.equal(202, (edge.buy("821", "buyer1")))
        assert.equal(7, edge.seen())
    end)

    it("is not one who is refused anyway", function()
        close()
        local before = balance.read()
        for product, status in pairs { ["822"] = 409, ["823"] = 503,
                ["824"] = 409, ["999"] = 404 } do
            assert.equal(status, (edge.buy(product, edge.stranger())), product)
        end
        assert.equal(401, (edge.http("POST",
            "/seckill/flash/sale/deduct?productId=821")))
        assert.equal(0, growth(before) "seckill_held_back_total")
    end)

    it("is not one whom a rate refuses", function()
        edge.redis("hset seckill:limits:product:828 qps 1")
        edge.sale("828")
        publish(33000)
        local after_one
        for _ = 1, 3 do
            edge.prepare_run(edge.attempts("828", 8), "one")
            edge.sleep_until(0)
            local second = math.floor(edge.now())
            local has_passed = false
            after_one = {}
            for _, answer in ipairs(edge.run("one", 1)) do
                if has_passed then
                    after_one[#after_one + 1] = answer.status
                end
                has_passed = has_passed or answer.status == 202
            end
            if math.floor(edge.now()) == second then
                break
            end
        end
        assert.is_true(#after_one >= 5)
        for _, status in ipairs(after_one) do
            assert.equal(429, status)
        end
    end)

    it("is not an attempt of a user who has another one in flight", function()
        silence()
        edge.seen()
        edge.sh("curl -s -m 8 -X POST -H 'Authorization: Bearer %s'"
            .. " '%s/seckill/flash/sale/deduct?productId=821' >/dev/null &",
            edge.token("hang1"), edge.url)
        assert.is_true(edge.within(2, function()
            return edge.seen() == 1
        end))
        publish(99999999999999)
        local before = balance.read()
        for _ = 1, 3 do
            assert.equal(429, (edge.buy("821", "hang1")))
        end
        assert.equal(0, growth(before) "seckill_held_back_total")
    end)

    it("is nobody's loss whose turn came and who was refused after all",
        function()
            edge.sale("827")
            edge.redis("hset seckill:quota:827 total many")
            silence()
            assert.equal(503, (edge.buy("827", edge.stranger())))
            publish(33000)
            local before = balance.read()
            for _ = 1, 20 do
                local status, _, body = edge.buy("827", edge.stranger())
                assert.equal(503, status)
                assert.equal("BUSY", body.code)
            end
            -- the first one perhaps, then the turn is always there
            assert.is_true(growth(before) "seckill_held_back_total" <= 1)
            assert.equal(202, (edge.buy("821", edge.stranger())))
        end)

    it("runs code that is compiled", function()
        close()
        edge.http("GET", "/aborts", { base = edge.internal })
        for _ = 1, 3 do
            publish(99999999999999)
            edge.flood(edge.attempts("821", 400), 8)
        end
        local _, _, counts = edge.http("GET", "/aborts",
            { base = edge.internal })
        for key, count in pairs(counts) do
            assert.is_true(count < 4 or not key:find("^set"),
                count .. " x " .. key)
        end
    end)
end)

describe("how long orders wait", function()
    setup(function()
        start(2)
        open "831"
    end)
    teardown(edge.stop)

    local function errors()
        return edge.status().configErrors
    end

    local function counted(before)
        return edge.within(1, function()
            return errors() == before + 1
        end)
    end

    it("is in /metrics, and so is the share", function()
        publish(33000)
        local series = balance.read()
        assert.equal(1, series.seckill_backlog_known)
        assert.equal(33000, series.seckill_backlog_wait_ms)
        assert.equal(500, series.seckill_backlog_share_permille)
        silence()
        series = balance.read()
        assert.equal(0, series.seckill_backlog_known)
        assert.equal(0, series.seckill_backlog_wait_ms)
        assert.equal(1000, series.seckill_backlog_share_permille)
    end)

    it("lets fewer pass the longer it is", function()
        local last = 1
        for _, wait_ms in ipairs { 29999, 30000, 30001, 31000, 33000, 40000,
                59000, 60000, 1e6, 99999999999999 } do
            publish(wait_ms)
            local share = known().share
            assert.is_true(share <= last and share >= 0.001, wait_ms)
            assert.equal(wait_ms <= 30000, share == 1, wait_ms)
            last = share
        end
        assert.equal(0.001, last)
    end)

    it("is taken from every example that is valid", function()
        examples.each("backlog/valid", "json", function(name, text)
            local before = errors()
            publish(33000)
            edge.redis_all { { "SET", BACKLOG, text } }
            local want = tonumber(text:match('"estimatedWaitMs": ?(%d+)'))
            assert.is_true(becomes(want), name)
            assert.equal(before, errors(), name)
        end)
    end)

    it("stays as it was said before when it is bad, said once", function()
        local bad = {
            { "a hash", "HSET", "bad", "estimatedWaitMs", "1" },
            { "a list", "RPUSH", "bad", "1" },
            { "a megabyte", "SET", "bad", ("9"):rep(MEGABYTE) },
            { "deep", "SET", "bad", ("["):rep(199) },
        }
        examples.each("backlog/invalid", "json", function(name, text)
            bad[#bad + 1] = { name, "SET", "bad", text }
        end)
        for i, case in ipairs(bad) do
            publish(33000 + i)
            local before = errors()
            edge.redis_all { { unpack(case, 2) },
                { "RENAME", "bad", BACKLOG } }
            assert.is_true(counted(before), case[1])
            assert.equal(33000 + i, (known() or {}).estimatedWaitMs, case[1])
        end
        publish(33000)
        local log = edge.error_log()
        assert.equal(#bad, edge.count_of(log, BACKLOG .. ": not allowed: "))
        assert.is_nil(log:find("[%z\1-\9\11-\31\127-\255]"))
    end)

    it("is forgotten after five seconds when it is bad or not renewed",
        function()
            for _, text in ipairs { "nonsense", false } do
                publish(33000)
                edge.redis("persist %s", BACKLOG)
                if text then
                    edge.redis("set %s %s", BACKLOG, text)
                end
                edge.sleep(3.5)
                assert.equal(33000, (known() or {}).estimatedWaitMs)
                assert.is_true(edge.within(2, is_gone))
                edge.sleep(0.6)
                assert.is_true(is_gone())
            end
            assert.same({ [202] = 40 },
                edge.flood(edge.attempts("831", 40), 8))
        end)

    it("is forgotten after five seconds when the control Redis is away",
        function()
            publish(33000)
            edge.sh("kill -STOP %d", edge.redis_pid)
            edge.sleep(3)
            local kept = known()
            local is_forgotten = edge.within(3, is_gone)
            edge.sh("kill -CONT %d", edge.redis_pid)
            assert.equal(33000, (kept or {}).estimatedWaitMs)
            assert.is_true(is_forgotten)
        end)

    it("is judged by a limit that an operator may change", function()
        publish(60000)
        assert.is_true(becomes(60000, 0.001))
        edge.redis("hset seckill:limits %s 50000", MAX_AGE)
        assert.is_true(becomes(60000, 0.25))
        publish(60000)
        for _, bad in ipairs { "999", "nan", "86400001" } do
            local before = errors()
            edge.redis("hset seckill:limits %s %s", MAX_AGE, bad)
            assert.is_true(counted(before), bad)
            assert.is_true(becomes(60000, 0.25), bad)
        end
        publish(60000)
        edge.redis("hset seckill:limits %s 86400000", MAX_AGE)
        assert.is_true(becomes(60000, 1))
    end)

    it("is judged by the limit as it was when Redis has lost it", function()
        edge.redis("hset seckill:limits %s 50000", MAX_AGE)
        publish(60000)
        assert.is_true(becomes(60000, 0.25))
        edge.sleep(1.3)  -- what is in force is written once a second
        edge.redis("flushall")
        publish(60000)
        edge.sleep(0.6)
        assert.is_true(becomes(60000, 0.25))
        edge.stop_edge()
        edge.start_edge()
        publish(60000)
        assert.is_true(becomes(60000, 0.25))
    end)

    it("is judged by the default where no limit was ever known", function()
        edge.stop_edge()
        edge.sh("rm '%s/edge/in-force.json'", edge.dir)
        edge.redis("flushall")
        edge.start_edge()
        publish(33000)
        assert.is_true(becomes(33000, 0.5))
    end)
end)
