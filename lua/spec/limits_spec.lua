-- The quota over two workers: exact, given back, never charged for a refusal
-- (rates: rate_spec.lua).

local edge = require "edge"

describe("the limiters", function()
    setup(function()
        edge.start()
        edge.start_redis()
    end)
    teardown(edge.stop)
    before_each(edge.seen)

    local function issued(product)
        return tonumber(edge.redis("hget seckill:quota:%s issued", product))
    end

    -- All attempts are answered and what passed is either spent or back.
    local function balanced()
        local decisions = edge.status().decisions
        return decisions.PASSED
            == decisions.ACCEPTED + decisions.GIVEN_BACK
    end

    it("let exactly the quota pass on two workers", function()
        edge.sale("601", {}, 50)
        local passed, tries = 0, 0
        while passed < 50 and tries < 20 do
            tries = tries + 1
            local count = edge.crowd("601", "u" .. tries .. "x", 200, 40)
            -- 503: a lease may be late on a busy machine
            assert.equal(200, (count[202] or 0) + (count[429] or 0)
                + (count[503] or 0))
            passed = passed + (count[202] or 0)
        end
        assert.equal(50, passed)
        assert.equal(50, edge.seen())
        assert.equal(50, issued("601"))
        assert.is_nil(edge.crowd("601", "late", 50, 10)[202])
        assert.is_true(balanced())
    end)

    it("open again when the quota's total is raised", function()
        edge.sale("602", {}, 1)
        assert.equal(202, (edge.buy("602", "a")))
        assert.equal(429, (edge.buy("602", "b")))
        edge.redis("hset seckill:quota:602 total 2")
        assert.is_true(edge.within(1, function()
            return edge.buy("602", "b") == 202
        end))
    end)

    it("tell of a quota of 0 that it is used up, and sold out once the sale"
        .. " is, with no error", function()
            -- (0 * percent + 99) // 100: of a stock of 0
            edge.sale("608", { stock_total = 0 }, 0)
            local errors = edge.count_of(edge.error_log(), "[error]")
            for _ = 1, 3 do
                local status, headers, body = edge.buy("608", edge.stranger())
                assert.same({ 429, "TOO_MANY_REQUESTS", '"quota";r=0', "1" },
                    { status, body.code, headers["ratelimit"],
                    headers["retry-after"] })
            end
            assert.same({ [429] = 100 },
                edge.flood(edge.attempts("608", 100), 10))
            edge.redis("hset seckill:sale:608 sold_out 1")
            assert.is_true(edge.within(1, function()
                local status, _, body = edge.buy("608", edge.stranger())
                return status == 409 and body.code == "SOLD_OUT"
            end))
            assert.equal("0", edge.redis("hget seckill:quota:608 issued"))
            assert.equal(0, edge.seen())
            assert.equal(errors, edge.count_of(edge.error_log(), "[error]"))
        end)

    it("take a token back for an answer that took no unit", function()
        edge.sale("603", {}, 1)
        for _, user in ipairs { "bought", "bought", "repeated", "beaten",
                "busy", "unknown", "broken", "hang" } do
            local _, _, body = edge.buy("603", user)
            assert.is_true(body.code ~= "TOO_MANY_REQUESTS", user)
        end
        assert.equal(202, (edge.buy("603", "a")))
        assert.equal(429, (edge.buy("603", "b")))
        assert.equal(1, issued("603"))
        assert.is_true(balanced())
    end)

    it("keep a token that a client did not wait for", function()
        edge.sale("604", {}, 1)
        edge.sh("curl -s -m 0.1 -X POST -H 'Authorization: Bearer %s'"
            .. " '%s/seckill/flash/sale/deduct?productId=604'",
            edge.token("slow"), edge.url)
        assert.equal(429, (edge.buy("604", "other")))
        edge.sh("sleep 0.6")
        assert.equal(429, (edge.buy("604", "other")))
        assert.is_true(balanced())
    end)

    it("drop older tokens when a lease brings another epoch", function()
        edge.sale("605", {}, 2)
        assert.equal(202, (edge.buy("605", "a")))
        edge.redis("hset seckill:quota:605 epoch 2 total 2 issued 0")
        assert.equal(202, (edge.buy("605", "b")))  -- of the old ones
        assert.is_true(edge.within(1, function()
            return edge.buy("605", "c") == 202
        end))
        assert.equal(2, issued("605"))
        assert.equal(202, (edge.buy("605", "d")))
        assert.equal(429, (edge.buy("605", "e")))
        assert.is_true(balanced())
    end)

    it("issue nothing of a quota that another Redis has issued of", function()
        edge.sale("613", {}, 2)
        edge.redis("hset seckill:quota:613 open_for %s", ("0"):rep(40))
        assert.equal(429, (edge.buy("613", "a")))
        assert.equal(0, issued("613"))
        edge.redis("hset seckill:quota:613 open_for %s",
            edge.redis_identity())
        assert.is_true(edge.within(1, function()
            return edge.buy("613", "b") == 202
        end))
        edge.sale("614", {}, 2)  -- as a former build wrote it
        edge.redis("hdel seckill:quota:614 open_for units")
        assert.equal(202, (edge.buy("614", "c")))
        assert.is_true(balanced())
    end)

    it("do not compare the quota's epoch with the sale's", function()
        edge.sale("612", {}, 1)
        edge.redis("hset seckill:quota:612 epoch 77")
        assert.equal(202, (edge.buy("612", "a")))
        assert.equal(429, (edge.buy("612", "b")))
    end)

    it("forget \"sold out\" when a shard opens in a new life", function()
        edge.sale("680")
        assert.equal(409, (edge.buy("680", "last")))
        edge.sale("680", { name = "again",
            placements = "0:2:OPEN 1:1:OPEN 2:1:OPEN" })
        assert.equal(202, (edge.buy("680", "a")))
    end)

    it("answer BUSY for a quota that cannot be read", function()
        edge.sale("606", {}, 10)
        edge.redis("hset seckill:quota:606 total 0x10")
        local status, _, body = edge.buy("606", "a")
        assert.equal(503, status)
        assert.equal("BUSY", body.code)
        assert.matches("whole numbers", edge.status().leaseError, 1, true)
    end)

    it("believe a sold-out answer for a second, then ask again", function()
        edge.sale("607")
        assert.equal(409, (edge.buy("607", "last")))
        edge.seen()
        local _, _, body = edge.buy("607", "a")
        assert.equal("SOLD_OUT", body.code)
        assert.equal(0, edge.seen())
        assert.is_true(edge.within(1.5, function()
            return edge.buy("607", "a") == 202
        end))
    end)

    it("follow the sale's own sold-out word within a second", function()
        edge.sale("608")
        edge.redis("hset seckill:sale:608 sold_out 1")
        assert.is_true(edge.within(1, function()
            return edge.buy("608", edge.stranger()) == 409
        end))
        edge.redis("hset seckill:sale:608 sold_out 0")
        assert.is_true(edge.within(1, function()
            return edge.buy("608", "a") == 202
        end))
    end)
end)
