-- The gate of a sale: the server's clock opens and closes it, a signed path
-- is the key of one user, and sold out is said without asking anybody.

local edge = require "edge"

describe("the gate of a sale", function()
    setup(function()
        edge.start()
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        edge.sale("530", { path = "on" })
        edge.sale("531", { path = "on" })
    end)
    teardown(edge.stop)
    before_each(edge.seen)

    -- One attempt after the other until the clock shows ends; each with the
    -- time before it was sent and after it was answered, in ms.
    local function watch(product, ends_ms)
        local seen = {}
        while edge.now_ms() < ends_ms do
            local sent = edge.now() * 1000
            local status = edge.buy(product, edge.stranger())
            seen[#seen + 1] = { status = status, sent = sent,
                answered = edge.now() * 1000 }
        end
        return seen
    end

    -- nginx reads the clock once per turn of its loop, so a few ms late.
    local SLACK_MS = 20

    -- Before at only one status, after it only the other, and both seen.
    local function turns(seen, at, before, after)
        local counts = { [before] = 0, [after] = 0 }
        for _, one in ipairs(seen) do
            assert.is_truthy(counts[one.status], one.status)
            counts[one.status] = counts[one.status] + 1
            if one.answered < at then
                assert.equal(before, one.status)
            elseif one.sent > at + SLACK_MS then
                assert.equal(after, one.status)
            end
        end
        assert.is_true(counts[before] > 0 and counts[after] > 0)
    end

    it("opens at its start, not a moment before or after", function()
        local at = edge.now_ms() + 1500
        edge.sale("532", { start_at_ms = at })
        turns(watch("532", at + 300), at, 409, 202)
    end)

    it("closes at its end, not a moment before or after", function()
        local at = edge.now_ms() + 1500
        edge.sale("533", { end_at_ms = at })
        turns(watch("533", at + 300), at, 202, 410)
    end)

    it("moves with its hash within a second, both ways", function()
        edge.sale("534")
        local now = edge.now_ms()
        for _, step in ipairs {
                { "start_at_ms", now + 60000, 409 },
                { "start_at_ms", now - 60000, 202 },
                { "end_at_ms", now - 1000, 410 },
                { "end_at_ms", now + 60000, 202 } } do
            edge.redis("hset seckill:sale:534 %s %d", step[1], step[2])
            assert.is_true(edge.within(1, function()
                return edge.buy("534", edge.stranger()) == step[3]
            end), step[1])
        end
    end)

    it("cares for no clock but the server's", function()
        edge.sale("535", { start_at_ms = edge.now_ms() + 60000 })
        for _, header in ipairs { "Date: Wed, 01 Jan 2070 00:00:00 GMT",
                "X-Now: 9999999999999", "If-Modified-Since: 0" } do
            assert.equal(409, (edge.http("POST",
                "/seckill/flash/sale/deduct?productId=535&now=9999999999999",
                { user = edge.stranger(), headers = { header } })))
        end
    end)

    local function wrong_paths(user)
        local soon = edge.now_ms() + 60000
        local good = edge.sign_path(user, "530", soon)
        local expiry, mac = good:match("^(%d+)%-(%x+)$")
        local other = mac:sub(-1) == "0" and "1" or "0"
        return good, {
            ["another user's"] = edge.sign_path("eve", "530", soon),
            ["another product's"] = edge.sign_path(user, "531", soon),
            ["another key's"] = edge.sign_path(user, "530", soon,
                ("x"):rep(40)),
            ["expired"] = edge.sign_path(user, "530", soon - 61000),
            ["of a later expiry"] = ("%d-%s"):format(soon + 1, mac),
            ["of an expiry with a zero before"] = "0" .. good,
            ["of a negative expiry"] = "-" .. good,
            ["of an endless expiry"] = ("9"):rep(30) .. "-" .. mac,
            ["of no expiry"] = "-" .. mac,
            ["flipped"] = good:sub(1, -2) .. other,
            ["flipped at its start"] = expiry .. "-"
                .. (mac:sub(1, 1) == "0" and "1" or "0") .. mac:sub(2),
            ["truncated"] = good:sub(1, -2),
            ["longer"] = good .. "0",
            ["in capitals"] = expiry .. "-" .. mac:upper(),
            ["without its mac"] = expiry .. "-",
            ["a mac alone"] = mac,
            ["with a blank"] = good .. "%20",
            ["with a line feed"] = good .. "%0a",
            ["with a NUL's name"] = good .. "%2500",
            ["a guess"] = "1-" .. ("0"):rep(64),
            ["a word"] = "path",
        }
    end

    it("answers every wrong path with the very same 403", function()
        local good, wrong = wrong_paths("ann")
        local first
        for name, path in pairs(wrong) do
            local status, headers, body = edge.buy("530", "ann", path)
            assert.equal(403, status, name)
            assert.is_nil(headers["retry-after"])
            body = body.code .. body.message .. body.retryAfterMs
            first = first or body
            assert.equal(first, body, name)
        end
        assert.equal(403, (edge.buy("530", "ann")))
        assert.equal(0, edge.seen())
        assert.equal(202, (edge.buy("530", "ann", good)))
        assert.equal(1, edge.seen())
    end)

    it("takes a path until the moment it expires", function()
        local expiry = edge.now_ms() + 1200
        local path = edge.sign_path("ben", "530", expiry)
        local before, after = 0, 0
        while edge.now_ms() < expiry + 200 do
            local sent = edge.now_ms()
            local status = edge.buy("530", "ben", path)
            if edge.now_ms() < expiry then
                -- Twenty calls a second are a holder's own limit.
                assert.is_true(status == 202 or status == 429)
                before = before + 1
            elseif sent > expiry + SLACK_MS then
                assert.equal(403, status)
                after = after + 1
            end
        end
        assert.is_true(before > 0 and after > 0)
    end)

    it("takes a path of either key, and a user's own again", function()
        local soon = edge.now_ms() + 60000
        for _, secret in ipairs { edge.SECRET, edge.OLD_SECRET } do
            assert.equal(202, (edge.buy("530", "cid",
                edge.sign_path("cid", "530", soon, secret))))
        end
    end)

    it("says sold out without asking, however many ask", function()
        edge.sale("536", { sold_out = 1 })
        assert.same({ [409] = 1000 },
            edge.flood(edge.attempts("536", 1000), 8))
        assert.equal(0, edge.seen())
        assert.equal("0", edge.redis("hget seckill:quota:536 issued"))
    end)

    it("says sold out for all once a shard's answer said so", function()
        edge.sale("537")
        assert.equal(409, (edge.buy("537", "last1")))
        edge.seen()
        local answers = edge.flood(edge.attempts("537", 100), 8)
        assert.same({ [409] = 100 }, answers)
        assert.equal(0, edge.seen())
    end)

    it("does not call a product sold out whose quota is used up", function()
        edge.sale("538", {}, 1)
        assert.equal(202, (edge.buy("538", edge.stranger())))
        for _ = 1, 5 do
            local status, headers, body = edge.buy("538", edge.stranger())
            assert.equal(429, status)
            assert.equal("TOO_MANY_REQUESTS", body.code)
            assert.equal("1", headers["retry-after"])
        end
        local _, _, sale = edge.http("GET", "/seckill/sales/538")
        assert.equal(false, sale.soldOut)
    end)
end)
