-- What the edge answers by itself: every refusal in the table's own words,
-- jittered where a retry helps, and for every odd method, id, address and
-- parameter the same answer, none of which reaches a service.

local cjson = require "cjson"
local edge = require "edge"

describe("an answer of the edge", function()
    local DEDUCT = "/seckill/flash/sale/deduct"
    local PATH = "/seckill/flash/sale/path"
    local RESULT = "/seckill/flash/sale/result"
    local ORDERS = "/seckill/orders"
    local SN = ORDERS .. "/" .. ("1"):rep(24)
    local rows = {}

    setup(function()
        local file = assert(io.open("contracts/refusals.json"))
        for _, row in ipairs(cjson.decode(file:read("*a"))) do
            rows[row.code] = row
        end
        file:close()
        edge.start()
        edge.start_redis()
        edge.redis("hset seckill:limits:product:544 qps 0")
        edge.sale("540")
        edge.sale("541", { sold_out = 1 })
        edge.sale("542", { start_at_ms = edge.now_ms() + 600000 })
        edge.sale("543", { end_at_ms = edge.now_ms() - 500 })
        edge.sale("544")
        edge.sale("545", { path = "on" })
        edge.sale("546")
        edge.sale("548", {}, 0)
        edge.redis("hset seckill:quota:546 total nan")
    end)
    teardown(edge.stop)
    before_each(edge.seen)

    local function attempt(query, options)
        return edge.http("POST", DEDUCT .. query,
            options or { user = edge.stranger() })
    end

    -- Each refusal the edge can say by itself, and one way to hear it.
    local REFUSALS = {
        { "BAD_REQUEST", function() return attempt "?productId=540x" end },
        { "UNAUTHENTICATED", function()
            return attempt("?productId=540", {})
        end },
        { "FORBIDDEN", function() return attempt "?productId=545" end },
        { "NOT_FOUND", function() return edge.http("GET", "/nothing") end },
        { "NO_SUCH_SALE", function() return attempt "?productId=1" end },
        { "NO_SUCH_ORDER", function()
            return edge.http("GET", ORDERS .. "/1", { user = "a" })
        end },
        { "METHOD_NOT_ALLOWED", function()
            return edge.http("PUT", DEDUCT, { user = "a" })
        end },
        { "SOLD_OUT", function() return attempt "?productId=541" end },
        { "ENDED", function() return attempt "?productId=543" end },
        { "PAYLOAD_TOO_LARGE", function()
            return edge.http("POST", DEDUCT .. "?productId=540",
                { user = "a", curl = "-d " .. ("x"):rep(1025) })
        end },
        { "NOT_STARTED", function() return attempt "?productId=542" end },
        { "PAUSED", function() return attempt "?productId=544" end },
        { "TOO_MANY_REQUESTS", function()
            return attempt "?productId=548"
        end },
        { "BUSY", function() return attempt "?productId=546" end },
    }

    for _, case in ipairs(REFUSALS) do
        local code, ask = case[1], case[2]
        it("says " .. code .. " as the table has it", function()
            local row = rows[code]
            local status, headers, body = ask()
            assert.equal(row.status, status)
            assert.equal(code, body.code)
            assert.equal(row.message, code == "BAD_REQUEST"
                and row.message or body.message)
            local names = {}
            for name in pairs(body) do
                names[#names + 1] = name
            end
            table.sort(names)
            assert.same({ "code", "detail", "message", "retryAfterMs",
                "status", "title", "type" }, names)
            assert.equal("urn:seckill:problem:" .. code, body.type)
            assert.equal(row.message, body.title)
            assert.equal(status, body.status)
            assert.equal(body.message, body.detail)
            assert.equal("application/problem+json",
                headers["content-type"])
            assert.equal("no-store", headers["cache-control"])
            assert.equal("nginx", headers.server)
            assert.equal(code == "METHOD_NOT_ALLOWED" and "POST" or nil,
                headers.allow)
            if row.retryAfterMs == 0 then
                assert.equal(0, body.retryAfterMs)
                assert.is_nil(headers["retry-after"])
            else
                assert.equal(math.max(1,
                    math.ceil(body.retryAfterMs / 1000)),
                    tonumber(headers["retry-after"]))
            end
            assert.equal(0, edge.seen())
        end)
    end

    for _, case in ipairs { { "TOO_MANY_REQUESTS", "548" },
            { "PAUSED", "544" }, { "BUSY", "546" } } do
        it("to " .. case[1] .. " spreads the crowd that comes back",
            function()
                local base = rows[case[1]].retryAfterMs
                local least, most, kinds, count = math.huge, 0, {}, 0
                for _ = 1, 30 do
                    local _, _, body = attempt("?productId=" .. case[2])
                    local wait = body.retryAfterMs
                    least, most = math.min(least, wait), math.max(most, wait)
                    count = count + (kinds[wait] and 0 or 1)
                    kinds[wait] = true
                end
                assert.is_true(least >= base and most <= base * 1.5)
                -- Thirty draws of a hundred or more: few coincide.
                assert.is_true(count >= 15)
                assert.is_true(most - least > base / 5)
            end)
    end

    it("before the start waits for it and for a jitter of its own",
        function()
            local starts = edge.now_ms() + 60000
            edge.sale("547", { start_at_ms = starts })
            local kinds, count = {}, 0
            for _ = 1, 12 do
                local before = edge.now_ms()
                local _, _, body = attempt "?productId=547"
                local over = body.retryAfterMs - (starts - before)
                assert.is_true(over <= 500)
                assert.is_true(body.retryAfterMs
                    >= starts - edge.now_ms() - 1)
                local jitter = math.floor(over / 10)
                count = count + (kinds[jitter] and 0 or 1)
                kinds[jitter] = true
            end
            assert.is_true(count >= 4)
        end)

    -- The statuses of requests { method, path [, user] }, in order.
    local function statuses(requests)
        for i, request in ipairs(requests) do
            request[3] = request[3] or "u" .. i
        end
        edge.prepare_run(requests, "replies")
        local list = {}
        for i, answer in ipairs(edge.run("replies", 1)) do
            list[i] = answer.status
        end
        assert.equal(#requests, #list)
        return list
    end

    local ROUTES = {
        { DEDUCT .. "?productId=540", "POST" },
        { "/seckill/flash/sale/1-a/deduct?productId=540", "POST" },
        { PATH .. "?productId=545", "POST" },
        { RESULT .. "?productId=540", "GET" },
        { ORDERS, "GET" },
        { SN, "GET" },
        { SN .. "/pay", "POST" },
        { "/seckill/sales", "GET" },
        { "/seckill/sales/540", "GET" },
    }

    it("to another method than the route's is 405 that names it", function()
        for _, route in ipairs(ROUTES) do
            for _, method in ipairs { "GET", "POST", "PUT", "PATCH", "DELETE",
                    "OPTIONS", "PROPFIND" } do
                if method ~= route[2] then
                    local status, headers, body = edge.http(method, route[1],
                        { user = "a" })
                    local name = method .. " " .. route[1]
                    assert.equal(405, status, name)
                    assert.equal("METHOD_NOT_ALLOWED", body.code, name)
                    assert.matches(route[2], headers.allow, 1, true)
                end
            end
        end
        assert.equal(0, edge.seen())
    end)

    -- Named so that a failure says which.
    local BAD_IDS = {
        "", "0", "00", "01", "-1", "%2B1", "1.0", "1e3", "0x10", "nan", "inf",
        "%201", "1%20", "1%0a", "1%00", "1%0d%0aX:1", "540,541", "540%26",
        "..", "..%2f..", "{540}", "[540]", "*", "?", "%25", "%D9%A5%D9%A4",
        "%EF%BC%95", "%ff%fe", "'540'", "%22540%22", "540;drop", "$540",
        "${jndi:x}", "1234567890123456789", ("9"):rep(1000),
    }

    for _, route in ipairs { { "POST", DEDUCT }, { "POST", PATH },
            { "GET", RESULT } } do
        it("to a product id that is none is 400 at " .. route[2], function()
            local requests, want = {}, {}
            for i, id in ipairs(BAD_IDS) do
                requests[i] = { route[1], route[2] .. "?productId=" .. id }
                want[i] = 400
            end
            assert.same(want, statuses(requests))
            assert.equal(0, edge.seen())
        end)
    end

    it("to a quantity that is none is 400", function()
        local requests, want = {}, {}
        for i, quantity in ipairs { "", "0", "-1", "%2B1", "1.5", "1.0", "01",
                "1e1", "0x1", "10000", "2147483648", "9223372036854775808",
                "NaN", "null", "[]", "%221%22", "%201", "1%20", "1%00",
                "1%0a", "%EF%BC%91", "true", "1&quantity=1",
                "1&%71uantity=1", "1&QUANTITY=1" } do
            requests[i] = { "POST", DEDUCT .. "?productId=540&quantity="
                .. quantity }
            want[i] = 400
        end
        assert.same(want, statuses(requests))
        assert.equal(0, edge.seen())
    end)

    it("to parameters that two readers could read differently is 400",
        function()
            local requests, want = {}, {}
            for i, query in ipairs { "productId=540&productId=540",
                    "productId=540&productId=541", "%70roductId=540",
                    "productId=540&%70roductId=541", "PRODUCTID=540",
                    "productid=540", "productId=540&ProductId=540",
                    "productId%00=540", "productId=540&a=%", "a=%zz",
                    "productId=540&%=1", "productId=5%34", "productId",
                    "productId=540&" .. ("x=1&"):rep(100), "",
                    "=540", "productId==540" } do
                requests[i] = { "POST", DEDUCT .. "?" .. query }
                want[i] = query == "productId=5%34" and 404 or 400
            end
            assert.same(want, statuses(requests))
            assert.equal(0, edge.seen())
        end)

    it("ignores what no route reads", function()
        local _, _, got = edge.http("POST", DEDUCT .. "?price=1&productId=540"
            .. "&shard=2&userId=eve&status=PAID&quantity=1&epoch=9",
            { user = "echo" })
        assert.equal(DEDUCT, got.uri)
        assert.equal("540", got.headers["x-seckill-product"])
        assert.equal("1", got.headers["x-seckill-quantity"])
        assert.equal("echo", got.headers["x-seckill-user"])
    end)

    it("to another spelling of an address is the route's or 404", function()
        local CASES = {
            { "/seckill/flash/sale//deduct?productId=540", 202 },
            { "//seckill/flash/sale/deduct?productId=540", 202 },
            { "/seckill/./flash/sale/deduct?productId=540", 202 },
            { "/seckill/x/../flash/sale/deduct?productId=540", 202 },
            { "/seckill/flash/sale/%64educt?productId=540", 202 },
            { "/seckill/flash/sale/deduct/?productId=540", 404 },
            { "/seckill/flash/sale/Deduct?productId=540", 404 },
            { "/SECKILL/flash/sale/deduct?productId=540", 404 },
            { "/seckill/flash/sale/deduct%3FproductId=540", 404 },
            { "/seckill/flash/sale/deduct;a=b?productId=540", 404 },
            { "/seckill/flash/sale/deduct%20?productId=540", 404 },
            { "/seckill/flash/sale/deduct%09?productId=540", 404 },
            { "/seckill/flash/sale/deduct.json?productId=540", 404 },
            { "/seckill/flash/sale\\deduct?productId=540", 404 },
            { "/seckill/flash/sale%2f..%2fdeduct?productId=540", 404 },
            { "/seckill/flash/sale/a%2fb/deduct?productId=540", 404 },
            { "/seckill/flash/deduct?productId=540", 404 },
            { "/seckill/flash/sale?productId=540", 404 },
            { "/seckill/flash/sale/", 404 },
            { "/seckill/flash/sale/x/deduct?productId=540", 404 },
            { "/../seckill/flash/sale/deduct?productId=540", 400 },
            { "/seckill/flash/sale/deduct%00?productId=540", 400 },
        }
        local requests, want, passed = {}, {}, 0
        for i, case in ipairs(CASES) do
            requests[i] = { "POST", case[1], "spelled" .. i .. "x" }
            want[i] = case[2]
            passed = passed + (case[2] == 202 and 1 or 0)
        end
        assert.same(want, statuses(requests))
        assert.equal(passed, edge.seen())
    end)

    it("to an order number that is none is 404", function()
        local requests, want = {}, {}
        for i, number in ipairs { "1", ("1"):rep(23), ("1"):rep(25),
                ("1"):rep(23) .. "x", "-" .. ("1"):rep(23),
                ("1"):rep(24) .. "%20", "%31", "..%2fadmin",
                ("%D9%A1"):rep(12), "'%20or%201=1", "{}", "*" } do
            requests[2 * i - 1] = { "GET", ORDERS .. "/" .. number }
            requests[2 * i] = { "POST", ORDERS .. "/" .. number .. "/pay" }
            want[2 * i - 1], want[2 * i] = 404, 404
        end
        assert.same(want, statuses(requests))
        assert.equal(0, edge.seen())
    end)

    it("to whoever has no token is 401, or what everybody is told", function()
        for _, call in ipairs { { "POST", DEDUCT .. "?productId=1", 404 },
                { "POST", DEDUCT .. "?productId=540" },
                { "POST", DEDUCT .. "?productId=540&quantity=2", 400 },
                { "POST", DEDUCT .. "?productId=541", 409 },
                { "POST", DEDUCT .. "?productId=542", 409 },
                { "POST", DEDUCT .. "?productId=543", 410 },
                { "POST", DEDUCT .. "?productId=544", 503 },
                { "POST", DEDUCT .. "?productId=545" },
                { "POST", DEDUCT .. "?productId=546" },
                { "POST", PATH .. "?productId=541", 409 },
                { "POST", PATH .. "?productId=540" },
                { "GET", RESULT .. "?productId=1" }, { "GET", ORDERS },
                { "GET", ORDERS .. "/1" }, { "POST", SN .. "/pay" } } do
            for _, token in ipairs { "", "-H 'Authorization: Bearer x'",
                    "-H 'Authorization: Bearer "
                    .. edge.token("a", {}, nil, edge.OLD_SECRET) .. "'" } do
                local status, _, body = edge.http(call[1], call[2],
                    { curl = token })
                assert.equal(call[3] or 401, status, call[2])
                assert.equal(call[3] == nil, body.code == "UNAUTHENTICATED")
            end
        end
        assert.equal(0, edge.seen())
    end)
end)
