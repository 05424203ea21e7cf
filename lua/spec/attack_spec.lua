-- Hostile requests: each gets the table's answer, none reaches a service,
-- and what does reach it holds nothing of the client's.

local edge = require "edge"

describe("the edge under attack", function()
    local DEDUCT = "/seckill/flash/sale/deduct?productId=518"

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("518")
        edge.sale("523", { path = "on" })
    end)
    teardown(edge.stop)
    before_each(edge.seen)

    local raw = edge.raw

    local function refused(status, code, got, headers, body)
        assert.equal(status, got)
        assert.equal(code, body.code)
        assert.equal("application/problem+json", headers["content-type"])
        assert.equal(0, edge.seen())
    end

    it("overwrites what a client says about itself", function()
        local _, _, got = edge.http("POST", DEDUCT .. "&userId=mallory", {
            user = "echo",
            headers = { "X-Seckill-User: mallory", "X_Seckill_User: mallory",
                "X-Seckill-Product: 1", "X-Seckill-Quantity: 9",
                "X-User-Id: mallory", "X-Real-IP: 1.2.3.4",
                "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Host: evil",
                "Forwarded: for=1.2.3.4", "Host: evil", "Cookie: a=b" },
            curl = "-d userId=mallory",
        })
        assert.is_string(got.headers["x-request-id"])
        got.headers["x-request-id"] = nil
        assert.same({ host = "flash-sale", accept = "application/json",
            ["x-real-ip"] = "127.0.0.1", ["x-seckill-user"] = "echo",
            ["x-seckill-product"] = "518", ["x-seckill-quantity"] = "1" },
            got.headers)
        assert.equal("/seckill/flash/sale/deduct", got.uri)
        assert.is_nil(got.body)
    end)

    it("takes identity from one good token only", function()
        local good = "Authorization: Bearer " .. edge.token("alice")
        local function with(...)
            return edge.http("POST", DEDUCT, { headers = { ... } })
        end
        refused(401, "UNAUTHENTICATED", with())
        refused(401, "UNAUTHENTICATED", with("Authorization: Basic YTpi"))
        refused(401, "UNAUTHENTICATED", with(good .. "x"))
        refused(401, "UNAUTHENTICATED", with(good .. ", " .. good))
        refused(401, "UNAUTHENTICATED", with("Authorization: Bearer "
            .. edge.token("alice", {}, { alg = "none", kid = "k2" })))
        refused(401, "UNAUTHENTICATED", with("Authorization: Bearer "
            .. edge.token("alice", { note = ("x"):rep(4000) })))
        refused(401, "UNAUTHENTICATED", with("Authorization: Bearer "
            .. edge.token("alice", { iss = "https://other.example" })))
        refused(401, "UNAUTHENTICATED", with(good, good))
        refused(401, "UNAUTHENTICATED",
            with(good, "Authorization: Bearer x", "X-More: 1"))
    end)

    it("refuses a request of more than a hundred headers", function()
        local function with(count, method, path)
            local headers = { "Host: a", "User-Agent: a", "Accept: a",
                "Authorization: Bearer " .. edge.token("alice") }
            for i = 5, count do
                headers[i] = "X-" .. i .. ": a"
            end
            return edge.http(method, path, { headers = headers })
        end
        assert.equal(202, (with(100, "POST", DEDUCT)))
        assert.equal(1, edge.seen())
        refused(400, "BAD_REQUEST", with(101, "POST", DEDUCT))
        refused(400, "BAD_REQUEST",
            with(101, "POST", "/seckill/flash/sale/path?productId=523"))
        for _, path in ipairs { "/seckill/sales", "/seckill/orders",
                "/seckill/flash/sale/result?productId=518" } do
            refused(400, "BAD_REQUEST", with(101, "GET", path))
        end
    end)

    it("takes an address without scheme and host only", function()
        local function answer(first_line)
            return raw(first_line .. "Host: a\\r\\nConnection: close\\r\\n"
                .. "Authorization: Bearer " .. edge.token("alice")
                .. "\\r\\n\\r\\n")
        end
        for _, address in ipairs { "http://evil", "http://a", "HTTP://a:80" } do
            assert.matches("^HTTP/1.1 400 .*BAD_REQUEST", answer("POST "
                .. address .. DEDUCT .. " HTTP/1.1\\r\\n"))
        end
        assert.matches("^HTTP/1.1 202 ",
            answer("POST   " .. DEDUCT .. " HTTP/1.1\\r\\n"))
        assert.equal(1, edge.seen())
    end)

    -- nginx has no switch that refuses them, and a service sees none of it.
    it("takes lines that end in a bare LF for one request, as it checked it",
        function()
            local inner = "POST " .. DEDUCT .. " HTTP/1.1\\nHost: a\\n\\n"
            local length = #inner:gsub("\\n", "x")
            local got = raw("POST " .. DEDUCT .. " HTTP/1.1\\nHost: a\\n"
                .. "Authorization: Bearer " .. edge.token("echo")
                .. "\\nX-Seckill-User: mallory\\nX-Note: mallory"
                .. "\\nContent-Length: " .. length
                .. "\\nConnection: close\\n\\n" .. inner)
            assert.equal(1, edge.count_of(got, "HTTP/1.1 "))
            assert.equal(1, edge.seen())
            assert.matches('"x-seckill-user":"echo"', got, 1, true)
            assert.is_nil(got:find("mallory", 1, true))
        end)

    it("closes on who speaks HTTP/0.9", function()
        assert.equal("", raw("GET /seckill/orders\\r\\n"))
        assert.equal("", raw("GET /seckill/sales\\r\\n"))
        assert.equal(0, edge.seen())
    end)

    it("refuses large requests and broken ones in the table's words",
        function()
            refused(413, "PAYLOAD_TOO_LARGE", edge.http("POST", DEDUCT,
                { user = "alice", curl = "-d " .. ("x"):rep(2000) }))
            refused(413, "PAYLOAD_TOO_LARGE", edge.http("POST", DEDUCT,
                { headers = { "X-Big: " .. ("x"):rep(9000) } }))
            refused(413, "PAYLOAD_TOO_LARGE", edge.http("GET", "/"
                .. ("x"):rep(9000)))
            refused(400, "BAD_REQUEST", edge.http("GET", "/%00"))
            refused(400, "BAD_REQUEST", edge.http("GET", "/../nginx.conf"))
            refused(400, "BAD_REQUEST", edge.http("POST", DEDUCT, { user = "a",
                headers = { "Transfer-Encoding: chunked",
                    "Content-Length: 3" } }))
            refused(405, "METHOD_NOT_ALLOWED", edge.http("TRACE", "/"))
            for _, method in ipairs { "GET", "PUT", "DELETE", "HACK" } do
                refused(405, "METHOD_NOT_ALLOWED",
                    edge.http(method, DEDUCT, { user = "alice" }))
            end
        end)

    it("finds no way round its routes", function()
        for _, path in ipairs { "/seckill/flash/sale/../../../actuator/health",
                "/seckill/flash/sale/%2e%2e/deduct?productId=518",
                "/seckill/flash/sale/deduct;x=1?productId=518",
                "/seckill/flash/sale/a/b/deduct?productId=518",
                "/seckill/orders/123456789012345678901234/refund",
                "/refused", "/status", "/nginx.conf",
                "/actuator/shutdown" } do
            local status, _, body = edge.http("POST", path,
                { user = "alice" })
            assert.equal("NOT_FOUND", body.code, path)
            assert.equal(404, status)
        end
        for _, order in ipairs { "%2e%2e%2factuator", "1", "a",
                "12345678901234567890123x" } do
            local _, _, body = edge.http("GET", "/seckill/orders/" .. order,
                { user = "alice" })
            assert.is_true(body.code == "NO_SUCH_ORDER"
                or body.code == "NOT_FOUND")
        end
        assert.equal(0, edge.seen())
    end)

    it("takes no line feed at the end of an address", function()
        local sn = ("1"):rep(24)
        local bearer = "Authorization: Bearer " .. edge.token("alice")
            .. "\\r\\n"
        local codes = {
            ["GET /seckill/orders%0A"] = "NOT_FOUND",
            ["GET /seckill/orders/" .. sn .. "%0A"] = "NO_SUCH_ORDER",
            ["GET /seckill/orders/" .. sn:sub(2) .. "%0A"] = "NO_SUCH_ORDER",
            ["POST /seckill/orders/" .. sn .. "/pay%0A"] = "NOT_FOUND",
            ["POST /seckill/flash/sale/deduct%0A?productId=518"] = "NOT_FOUND",
            ["POST /seckill/flash/sale/path%0A?productId=523"] = "NOT_FOUND",
            ["GET /seckill/flash/sale/result%0A?productId=518"] = "NOT_FOUND",
            ["GET /seckill/sales%0A"] = "NOT_FOUND",
            ["GET /seckill/sales/518%0A"] = "BAD_REQUEST",
            ["GET /shop.js%0A"] = "NOT_FOUND",
        }
        for call, code in pairs(codes) do
            local head = call .. " HTTP/1.1\\r\\nHost: a\\r\\n" .. bearer
            local got = raw(head .. "\\r\\n"
                .. head .. "Connection: close\\r\\n\\r\\n")
            local _, answers = got:gsub("HTTP/1.1 40[04] ", "")
            local _, bodies = got:gsub('"code":"' .. code .. '"', "")
            assert.same({ 2, 2 }, { answers, bodies }, call .. got)
        end
        assert.equal(0, edge.seen())
    end)

    it("asks the service at the address that was checked", function()
        local sn = ("1"):rep(24)
        for written, asked in pairs {
            ["//seckill//orders?x=1"] = "/seckill/orders",
            ["/seckill/%6frders/" .. sn] = "/seckill/orders/" .. sn,
        } do
            local _, _, got = edge.http("GET", written, { user = "alice" })
            assert.equal(asked, got.uri)
        end
        local _, _, got = edge.http("POST",
            "/seckill/orders/" .. sn .. "/p%61y", { user = "alice" })
        assert.equal("/seckill/orders/" .. sn .. "/pay", got.uri)
        assert.equal(3, edge.seen())
    end)

    it("never takes the body of a refused request for the next request",
        function()
            local inner = "POST " .. DEDUCT .. " HTTP/1.1\\r\\nHost: a\\r\\n"
                .. "Authorization: Bearer " .. edge.token("mallory")
                .. "\\r\\n\\r\\n"
            local length = #inner:gsub("\\[rn]", "x")
            local got = raw("POST /seckill/flash/sale/deduct HTTP/1.1\\r\\n"
                .. "Host: a\\r\\nContent-Length: " .. length .. "\\r\\n\\r\\n"
                .. inner .. "GET /health HTTP/1.1\\r\\nHost: a\\r\\n"
                .. "Connection: close\\r\\n\\r\\n")
            local _, answers = got:gsub("HTTP/1.1 ", "")
            assert.equal(2, answers)
            assert.matches("400.*404", got)
            assert.equal(0, edge.seen())
        end)

    it("refuses a path that is not this user's own", function()
        local crypto = require "seckill.request.crypto"
        local function path(user, expiry, key)
            return ("%d-%s"):format(expiry, crypto.hmac_hex(
                key or edge.SECRET,
                ("path|%s|523|%d"):format(user, expiry)))
        end
        local soon = edge.now_ms() + 60000
        for _, wrong in ipairs { "x", path("bob", soon),
                path("alice", soon - 120000),
                path("alice", soon, ("x"):rep(40)), path("alice", soon)
                    :gsub(".$", "g") } do
            refused(403, "FORBIDDEN", edge.buy("523", "alice", wrong))
        end
        refused(403, "FORBIDDEN", edge.buy("523", "alice"))
        assert.equal(202, (edge.buy("523", "alice", path("alice", soon))))
        assert.equal(202, (edge.buy("523", "carol",
            path("carol", soon, edge.OLD_SECRET))))
    end)

    it("hands a path out for such a sale only", function()
        local call = "/seckill/flash/sale/path?productId="
        assert.equal(200, (edge.http("POST", call .. 523, { user = "a" })))
        edge.seen()
        refused(404, "NOT_FOUND", edge.http("POST", call .. 518,
            { user = "a" }))
        refused(405, "METHOD_NOT_ALLOWED", edge.http("GET", call .. 523,
            { user = "a" }))
    end)

    it("writes no token and no path into a log", function()
        local crypto = require "seckill.request.crypto"
        local expiry = edge.now_ms() + 60000
        local mac = crypto.hmac_hex(edge.SECRET,
            ("path|broken|523|%d"):format(expiry))
        local status, _, body = edge.buy("523", "broken",
            expiry .. "-" .. mac)
        assert.equal(503, status)
        assert.equal("BUSY", body.code)
        local log = edge.error_log()
        assert.is_nil(log:find(mac, 1, true))
        assert.is_nil(log:find("Bearer", 1, true))
        assert.equal("", edge.sh("grep -rl '%s' '%s/edge'", mac, edge.dir))
    end)
end)
