-- What an edit in the control Redis changes, and what it must leave alone:
-- windows, tokens and other products.

local edge = require "edge"

describe("an edit", function()
    setup(function()
        edge.start()
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
    end)
    teardown(edge.stop)

    local function issued(product)
        return tonumber(edge.redis("hget seckill:quota:%s issued", product))
    end

    local function version()
        return edge.status().configVersion
    end

    -- Waits until the edge has taken over whatever raised its version.
    local function taken_over(before, changes)
        assert.is_true(edge.within(1, function()
            return version() == before + changes
        end), version() - before .. " changes taken over")
    end

    local EDITS = {
        { "of a name", "hset seckill:sale:%s name Renamed" },
        { "of a price", "hset seckill:sale:%s price_cents 1" },
        { "of an end", "hset seckill:sale:%s end_at_ms 9999999999999" },
        { "of what one user may have", "hset seckill:sale:%s"
            .. " per_user_limit 9" },
        { "of its shards", "hset seckill:sale:%s placements 0:2:OPEN" },
        { "of its rate", "hset seckill:limits:product:%s qps 4" },
    }

    for number, case in ipairs(EDITS) do
        it(case[1] .. " reopens no window that is used up", function()
            local statuses
            for try = 1, 3 do
                local product = ("77%d%d"):format(number, try)
                edge.redis("hset seckill:limits:product:%s qps 5", product)
                edge.sale(product, {}, 100000)
                edge.prepare_run(edge.attempts(product, 6), "before")
                edge.prepare_run(edge.attempts(product, 3), "after")
                local before = version()
                edge.sleep_until(0)
                local second = math.floor(edge.now())
                statuses = edge.tally(edge.run("before", 1))
                edge.redis(case[2], product)
                taken_over(before, 1)
                local after = edge.tally(edge.run("after", 1))
                statuses.after = after[429]
                if math.floor(edge.now()) == second then
                    break
                end
            end
            assert.same({ [202] = 5, [429] = 1, after = 3 }, statuses)
        end)
    end

    it("of everything but the quota loses and doubles no token", function()
        edge.sale("770", {}, 80)
        local passed = 0
        for i, case in ipairs(EDITS) do
            if i < #EDITS then
                passed = passed + (edge.flood(edge.attempts("770", 10),
                    4)[202] or 0)
                local before = version()
                edge.redis(case[2], "770")
                taken_over(before, 1)
            end
        end
        assert.is_true(passed > 0 and passed < 80)
        for _ = 1, 10 do
            passed = passed + (edge.flood(edge.attempts("770", 40),
                4)[202] or 0)
        end
        assert.equal(80, passed)
        assert.equal(80, issued("770"))
    end)

    it("that lowers a quota's total passes what is leased, and no more",
        function()
            edge.sale("771", {}, 1000)
            assert.equal(202, (edge.buy("771", edge.stranger())))
            edge.redis("hset seckill:quota:771 total 3")
            assert.same({ [202] = 31, [429] = 9 },
                edge.flood(edge.attempts("771", 40), 1))
            assert.equal(32, issued("771"))
            -- Below what was issued: nothing until the total is above it.
            edge.redis("hset seckill:quota:771 total 32")
            edge.sleep(0.15)
            assert.equal(429, (edge.buy("771", edge.stranger())))
            edge.redis("hset seckill:quota:771 total 33")
            edge.sleep(0.15)
            assert.same({ [202] = 1, [429] = 4 },
                edge.flood(edge.attempts("771", 5), 1))
        end)

    it("that takes a limit away brings its default back", function()
        edge.redis("hset seckill:limits:product:772 qps 0")
        edge.sale("772")
        assert.equal(503, (edge.buy("772", edge.stranger())))
        edge.redis("hdel seckill:limits:product:772 qps")
        assert.is_true(edge.within(1, function()
            return edge.buy("772", edge.stranger()) == 202
        end))
    end)

    it("of one product is no other's", function()
        edge.sale("773")
        edge.sale("774")
        local before = version()
        edge.redis("hset seckill:limits:product:773 qps 0")
        taken_over(before, 1)
        assert.equal(503, (edge.buy("773", edge.stranger())))
        assert.equal(202, (edge.buy("774", edge.stranger())))
        before = version()
        edge.redis("hset seckill:sale:773 sold_out 1")
        taken_over(before, 1)
        assert.equal(409, (edge.buy("773", edge.stranger())))
        assert.equal(202, (edge.buy("774", edge.stranger())))
    end)

    it("is one change, and none where nothing was changed", function()
        edge.sale("775")
        local before = version()
        edge.sleep(0.6)
        assert.equal(before, version())
        edge.redis("hset seckill:sale:775 name Demo")
        edge.sleep(0.6)
        assert.equal(before, version())
        edge.redis("hset seckill:sale:775 name Other price_cents 5")
        taken_over(before, 1)
        local _, _, sale = edge.http("GET", "/seckill/sales/775")
        assert.same({ "Other", 5 }, { sale.name, sale.priceCents })
    end)

    it("is the same to every worker at once", function()
        edge.sale("776")
        local function sold_out(flag)
            local before = version()
            edge.redis("hset seckill:sale:776 sold_out %d", flag)
            taken_over(before, 1)
            return edge.flood(edge.attempts("776", 40), 40)[409]
        end
        assert.equal(40, sold_out(1))
        assert.is_nil(sold_out(0))
    end)
end)

describe("what a service is told", function()
    local ROUTES = {
        { "POST", "/seckill/flash/sale/deduct?productId=780",
            { product = "780", quantity = "1" } },
        { "POST", "/seckill/flash/sale/path?productId=781",
            { product = "781" } },
        { "GET", "/seckill/flash/sale/result?productId=780",
            { product = "780" } },
        { "GET", "/seckill/orders", {} },
        { "GET", "/seckill/orders/" .. ("1"):rep(24), {} },
        { "POST", "/seckill/orders/" .. ("1"):rep(24) .. "/pay", {} },
    }
    local HOSTILE = { "X-Seckill-User: eve", "x-seckill-user: eve",
        "X_Seckill_User: eve", "X-Seckill-Product: 1",
        "X-Seckill-Quantity: 9999", "X-Seckill-Code: ACCEPTED",
        "X-Seckill-Sold-Out: 1", "X-User-Id: eve", "X-Real-IP: 9.9.9.9",
        "X-Forwarded-For: 9.9.9.9", "X-Forwarded-User: eve",
        "X-Original-URL: /admin/sales", "X-Rewrite-URL: /admin/sales",
        "X-HTTP-Method-Override: DELETE", "Forwarded: for=9.9.9.9",
        "Via: 1.1 eve", "Cookie: user=eve", "Range: bytes=0-1",
        "If-None-Match: *", "TE: trailers",
        "Content-Type: application/x-www-form-urlencoded",
        "Origin: http://evil", "Accept: text/html",
        "Accept-Encoding: gzip" }

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("780")
        edge.sale("781", { path = "on" })
    end)
    teardown(edge.stop)

    for _, route in ipairs(ROUTES) do
        it("is nothing of the client's at " .. route[1] .. " "
            .. route[2]:match("^[^?]+"), function()
            local separator = route[2]:find("?", 1, true) and "&" or "?"
            local status, _, got = edge.http(route[1], route[2] .. separator
                .. "userId=eve&price=1",
                { user = "echo", headers = HOSTILE, curl = "-d user=eve" })
            assert.equal(200, status)
            assert.is_string(got.headers["x-request-id"])
            got.headers["x-request-id"] = nil
            assert.same({ accept = "application/json",
                ["x-real-ip"] = "127.0.0.1", ["x-seckill-user"] = "echo",
                ["x-seckill-product"] = route[3].product,
                ["x-seckill-quantity"] = route[3].quantity,
                host = route[2]:find("orders", 1, true) and "order"
                    or "flash-sale" }, got.headers)
            assert.equal(route[2]:match("^[^?]+"), got.uri)
            assert.equal(route[1], got.method)
            assert.is_nil(got.body)
        end)
    end
end)
