-- A rate of each address: of the client's own, or of whom a proxy tells of that
-- the operator trusts.

local balance = require "balance"
local edge = require "edge"

local RATE = 3

-- Attempts of new users one after the other, each from the next of these
-- addresses, as a proxy tells; how many were answered with each status, and the
-- last refusal's headers. All in one second, however busy the machine is.
local function attempts(count, addresses)
    local answers, began, refusal
    repeat
        edge.sleep(1.1)
        edge.sleep_until(0.05)
        answers, began = {}, edge.now()
        for i = 1, count do
            local status, headers = edge.http("POST",
                "/seckill/flash/sale/deduct?productId=1401",
                { user = edge.stranger(), headers = { "X-Forwarded-For: "
                    .. addresses[1 + (i - 1) % #addresses] } })
            answers[status] = (answers[status] or 0) + 1
            refusal = status == 429 and headers or refusal
        end
    until edge.now() - began < 0.85
    return answers, refusal
end

local function start(settings)
    edge.start(settings)
    edge.start_redis()
    edge.sale("1401", {}, 100000)
end

local function set(limit, value)
    edge.redis("hset seckill:limits %s %s", limit, value)
    edge.sleep(0.6)
end

describe("an address", function()
    setup(function()
        start "SECKILL_TRUSTED_PROXIES='10.0.0.0/8 127.0.0.1'"
    end)
    teardown(edge.stop)

    it("is not limited by default", function()
        assert.same({ [202] = 12 }, attempts(12, { "203.0.113.1" }))
    end)

    it("passes its rate and no more, and is told which that is", function()
        set("edge.address_qps", RATE)
        local answers, refusal = attempts(8, { "203.0.113.1" })
        assert.same({ [202] = RATE, [429] = 8 - RATE }, answers)
        assert.equal('"address";q=3;w=1', refusal["ratelimit-policy"])
    end)

    it("takes nothing from another one", function()
        assert.same({ [202] = 2 * RATE, [429] = 2 },
            attempts(8, { "203.0.113.1", "203.0.113.2" }))
    end)

    it("of IPv6 is a network of 64 bits", function()
        assert.same({ [202] = RATE, [429] = 3 },
            attempts(6, { "2001:db8::1", "2001:db8::ffff:2" }))
        assert.same({ [202] = 6 }, attempts(6, { "2001:db8:0:1::1",
            "2001:db8:0:2::1" }))
    end)

    it("of IPv4 within IPv6 is that of IPv4, and not all of them", function()
        assert.same({ [202] = RATE, [429] = 3 },
            attempts(6, { "::ffff:198.51.100.1", "198.51.100.1" }))
        assert.same({ [202] = 6 }, attempts(6, { "::ffff:198.51.100.2",
            "::ffff:198.51.100.3" }))
    end)

    it("is the last that no trusted proxy is, whatever a client adds",
        function()
            assert.same({ [202] = RATE, [429] = 3 },
                attempts(6, { "192.0.2.1, 203.0.113.9, 10.1.1.1",
                    "192.0.2.2, 203.0.113.9" }))
        end)

    it("is not limited once the limit is taken back", function()
        edge.redis("hdel seckill:limits edge.address_qps")
        edge.sleep(0.6)
        assert.same({ [202] = 12 }, attempts(12, { "203.0.113.1" }))
        assert.equal("", balance.unbalanced())
    end)
end)

describe("an address without a trusted proxy", function()
    setup(function()
        start ""
        set("edge.address_qps", RATE)
    end)
    teardown(edge.stop)

    it("is the connection's, whatever the client writes", function()
        assert.same({ [202] = RATE, [429] = 3 },
            attempts(6, { "203.0.113.1", "203.0.113.2", "127.0.0.9" }))
    end)
end)
