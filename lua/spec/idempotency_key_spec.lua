-- What a client calls its attempt goes on to the service that keeps it, as it
-- was checked; a name that is none is refused.

local edge = require "edge"

describe("an Idempotency-Key", function()
    local DEDUCT = "/seckill/flash/sale/deduct?productId="
    local UUID = "8e03978e-40d5-43dd-bc93-6894a57f9324"

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("970", {}, 1000)
        edge.sale("971", { sold_out = 1 })
    end)
    teardown(edge.stop)
    before_each(edge.seen)

    local function attempt(key, user, product)
        return edge.http("POST", DEDUCT .. (product or "970"), {
            user = user or "echo",
            headers = { key and "Idempotency-Key: " .. key or "X-None: 1" },
        })
    end

    it("goes on without its quotes", function()
        for written, told in pairs { [UUID] = UUID,
                ['"' .. UUID .. '"'] = UUID, a = "a", ["A.b_c:9-"] = "A.b_c:9-",
                [("k"):rep(64)] = ("k"):rep(64) } do
            local status, _, got = attempt(written)
            assert.equal(200, status, written)
            assert.equal(told, got.headers["idempotency-key"])
        end
        local _, _, got = attempt()
        assert.is_nil(got.headers["idempotency-key"])
    end)

    it("is refused where it is none, and nothing is sent on", function()
        for _, bad in ipairs { ("k"):rep(65), "a b", "a,b", "!", '"', '""',
                '"a', 'a"', "a;b=1", "?1", "k\xc3\xa4y", "a/b" } do
            local status, _, body = attempt(bad, edge.stranger())
            assert.equal(400, status, bad)
            assert.equal("BAD_REQUEST", body.code)
            assert.matches("^Idempotency%-Key: ", body.message)
        end
        assert.equal(0, edge.seen())
    end)

    it("given twice is refused, or the first counts", function()
        local status = edge.http("POST", DEDUCT .. "970", {
            user = edge.stranger(),
            headers = { "Idempotency-Key: a", "Idempotency-Key: b" },
        })
        assert.is_true(status == 400 or status == 202)  -- newer, older nginx
    end)

    it("changes nothing for who is refused anyway", function()
        for _, key in ipairs { UUID, "a b" } do
            local status, _, body = attempt(key, edge.stranger(), "971")
            assert.equal(409, status)
            assert.equal("SOLD_OUT", body.code)
        end
    end)

    it("goes to no other route", function()
        local _, _, got = edge.http("GET", "/seckill/orders",
            { user = "echo", headers = { "Idempotency-Key: " .. UUID } })
        assert.is_nil(got.headers["idempotency-key"])
    end)

    it("of an attempt that took no unit gives its token back", function()
        local before = edge.status().decisions.GIVEN_BACK
        assert.equal(202, (attempt(UUID, "repeated1")))
        assert.equal(before + 1, edge.status().decisions.GIVEN_BACK)
    end)
end)
