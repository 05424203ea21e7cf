-- A shared dict without room: an error, never a refusal as if a limit were
-- reached, and counted.

local balance = require "balance"
local edge = require "edge"

describe("a full dict", function()
    setup(function()
        edge.start("", true)
        edge.start_redis()
        edge.sale("518", {}, 1000)
        edge.sale("519", {}, 1000)
        edge.sale("522", {}, 1000)
        edge.sale("523", { path = "on" }, 1000)
    end)
    teardown(edge.stop)

    local function fill(dict)
        edge.http("GET", "/fill?dict=seckill_" .. dict,
            { base = edge.internal })
    end

    local function busy(status, headers, body)
        assert.equal(503, status)
        assert.equal("BUSY", body.code)
        assert.equal("1", headers["retry-after"])
    end

    -- No key of the dict is of another kind than these patterns tell.
    local function holds_only(dict, ...)
        local _, _, keys = edge.http("GET", "/keys?dict=seckill_" .. dict,
            { base = edge.internal })
        assert.not_equal("", keys)
        for key in keys:gmatch("%S+") do
            local is_known = false
            for _, pattern in ipairs { ... } do
                is_known = is_known or key:find(pattern) ~= nil
            end
            assert.is_true(is_known, key .. " in seckill_" .. dict)
        end
    end

    it("is filled by one kind of content alone", function()
        assert.equal(202, (edge.buy("522", edge.stranger())))
        edge.redis("hset seckill:limits edge.global_qps many")
        edge.redis("set seckill:quota:518 text")
        busy(edge.buy("518", edge.stranger()))
        assert.matches("WRONGTYPE", edge.status().leaseError, 1, true)
        assert.is_true(edge.within(2, function()
            return edge.status().configErrors == 1
        end))
        holds_only("config", "^limit:", "^sale:", "^products$")
        holds_only("leases", "^tokens:", "^epoch:", "^last:", "^trouble:",
            "^pause:", "^leasing:", "^unanswered:")
        edge.redis("del seckill:quota:518 seckill:limits")
        edge.sale("518", {}, 1000)
        assert.is_true(edge.within(1, function()
            return edge.buy("518", edge.stranger()) == 202
        end))
    end)

    -- What one call adds to the errors of this limiter, and to its outcome.
    local function errors_of(limiter, outcome, call)
        local name = 'seckill_limiter_errors_total{limiter="' .. limiter
            .. '"}'
        local total = "seckill_" .. outcome .. "_total"
        local before = balance.read()
        call()
        local after = balance.read()
        assert.equal((before[name] or 0) + 1, after[name])
        assert.equal(before[total] + 1, after[total])
        assert.equal("", balance.unbalanced())
    end

    it("of marks in flight lets attempts pass", function()
        fill "inflight"
        local before = edge.status().decisions.INFLIGHT_FULL
        errors_of("in_flight", "unlimited", function()
            assert.equal(202, (edge.buy("518", edge.stranger())))
        end)
        assert.equal(before + 1, edge.status().decisions.INFLIGHT_FULL)
    end)

    -- An attempt that hangs for 3 s, once it has passed; its answer goes there.
    local function hang(name)
        local passed = edge.status().decisions.PASSED
        edge.prepare_run({ { "POST", "/seckill/flash/sale/deduct?productId=518",
            "hang" } }, name)
        edge.sh("curl -K '%s/%s' >'%s/%s.out' 2>/dev/null &", edge.dir, name,
            edge.dir, name)
        assert.is_true(edge.within(2, function()
            return edge.status().decisions.PASSED == passed + 1
        end))
        return function()
            return edge.sh("cat '%s/%s.out'", edge.dir, name) ~= ""
        end
    end

    it("of marks lets nobody give back the mark of another", function()
        fill "inflight"
        local first_ended = hang "first"  -- without a mark
        edge.sleep(1)
        edge.http("GET", "/empty?dict=seckill_inflight",
            { base = edge.internal })
        local second_ended = hang "second"
        assert.is_true(edge.within(5, first_ended))
        local status = edge.buy("518", "hang")
        assert.is_false(second_ended())
        assert.equal(429, status)
        assert.is_true(edge.within(5, second_ended))
        assert.not_equal(429, (edge.buy("518", "hang")))
        assert.equal("", balance.unbalanced())
    end)

    it("of addresses lets attempts pass", function()
        edge.redis("hset seckill:limits edge.address_qps 1000")
        edge.sleep(0.6)
        fill "addresses"
        errors_of("address", "unlimited", function()
            assert.equal(202, (edge.buy("518", edge.stranger())))
        end)
        edge.redis("hdel seckill:limits edge.address_qps")
        edge.sleep(0.6)
    end)

    it("of users' windows answers BUSY, never 429", function()
        fill "users"
        errors_of("calls", "undecided", function()
            busy(edge.http("GET", "/seckill/flash/sale/result?productId=518",
                { user = edge.stranger() }))
        end)
        busy(edge.http("GET", "/seckill/orders", { user = edge.stranger() }))
        busy(edge.http("POST", "/seckill/flash/sale/path?productId=523",
            { user = edge.stranger() }))
        assert.equal(202, (edge.buy("518", edge.stranger())))
    end)

    it("of leases answers BUSY and leases nothing", function()
        fill "leases"
        errors_of("quota", "undecided", function()
            busy(edge.buy("519", edge.stranger()))
        end)
        assert.equal("0", edge.redis("hget seckill:quota:519 issued"))
    end)

    it("of rates answers BUSY, never 429, and takes nothing", function()
        edge.sale("520", {}, 1000)
        fill "rates"
        local user = edge.stranger()
        errors_of("node", "undecided", function()
            busy(edge.buy("520", user))
        end)
        busy(edge.buy("520", user))  -- not 429: its mark was given back
        assert.equal("0", edge.redis("hget seckill:quota:520 issued"))
    end)
end)
