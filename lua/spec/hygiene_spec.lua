-- nginx itself: what it lets in, how long it waits, what it sends on how
-- often over how many connections, and what it writes down.

local edge = require "edge"

describe("nginx", function()
    local DEDUCT = "/seckill/flash/sale/deduct?productId=560"
    local bearer

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("560", {}, 100000)
        bearer = "Authorization: Bearer " .. edge.token("raw") .. "\\r\\n"
    end)
    teardown(edge.stop)
    before_each(edge.seen)

    local function status_of(answer)
        return tonumber(answer:match("^HTTP/1.1 (%d+)"))
    end

    -- Requests that two parsers could cut apart differently.
    local SMUGGLERS = {
        { "two different lengths", "Content-Length: 0\\r\\n"
            .. "Content-Length: 5\\r\\n\\r\\nhello" },
        { "the same length twice", "Content-Length: 5\\r\\n"
            .. "Content-Length: 5\\r\\n\\r\\nhello" },
        { "a length and chunks", "Content-Length: 5\\r\\n"
            .. "Transfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n" },
        { "a negative length", "Content-Length: -1\\r\\n\\r\\n" },
        { "a signed length", "Content-Length: +5\\r\\n\\r\\nhello" },
        { "a hexadecimal length", "Content-Length: 0x5\\r\\n\\r\\nhello" },
        { "a length beyond 64 bits", "Content-Length: "
            .. ("9"):rep(20) .. "\\r\\n\\r\\n" },
        { "a list of lengths", "Content-Length: 5, 5\\r\\n\\r\\nhello" },
        { "an unknown coding", "Transfer-Encoding: gzip\\r\\n\\r\\n" },
        { "two codings", "Transfer-Encoding: chunked, identity\\r\\n\\r\\n"
            .. "0\\r\\n\\r\\n" },
        { "the coding twice", "Transfer-Encoding: chunked\\r\\n"
            .. "Transfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n" },
        { "a chunk that is no number",
            "Transfer-Encoding: chunked\\r\\n\\r\\nzz\\r\\n" },
        { "a NUL in a header", "X-A: a\\0b\\r\\n\\r\\n" },
        { "a second host", "Host: b\\r\\n\\r\\n" },
    }

    for _, case in ipairs(SMUGGLERS) do
        it("refuses " .. case[1] .. " and sends nothing on", function()
            local got = edge.raw("POST " .. DEDUCT .. " HTTP/1.1\\r\\n"
                .. "Host: a\\r\\nConnection: close\\r\\n" .. bearer
                .. case[2])
            -- A close with bytes unread may take the answer along.
            local status = status_of(got) or 400
            assert.is_true(status == 400 or status == 413 or status == 501,
                case[1] .. ": " .. got:sub(1, 200))
            assert.equal(0, edge.seen())
        end)
    end

    it("refuses a HEAD that has a body", function()
        for _, line in ipairs { "HEAD /seckill/sales",
                "HEAD /seckill/flash/sale/result?productId=560",
                "HEAD /seckill/orders" } do
            for _, body in ipairs { "Content-Length: 5\\r\\n\\r\\nhello",
                    "Transfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n" } do
                local got = edge.raw(line .. " HTTP/1.1\\r\\nHost: a\\r\\n"
                    .. "Connection: close\\r\\n" .. bearer .. body)
                assert.equal(400, status_of(got), line)
                assert.equal(1, edge.count_of(got, "HTTP/1.1 "))
            end
        end
        assert.equal(0, edge.seen())
    end)

    it("refuses a request without a host or of a version it has not",
        function()
            for _, line in ipairs { "POST " .. DEDUCT .. " HTTP/1.1",
                    "POST " .. DEDUCT .. " HTTP/2.0",
                    "POST " .. DEDUCT .. " HTTP/1.1 x",
                    "POST " .. DEDUCT .. " HTTX/1.1", "POST",
                    "post " .. DEDUCT .. " HTTP/1.1",
                    "CONNECT a:80 HTTP/1.1" } do
                local got = edge.raw(line .. "\\r\\n" .. bearer .. "\\r\\n")
                local status = status_of(got)
                assert.is_true(status == nil or status >= 400
                    and status <= 505, line .. got)
            end
            assert.equal(0, edge.seen())
        end)

    it("sends each of a pipeline's attempts on once, in order", function()
        local parts = {}
        for i = 1, 30 do
            parts[i] = "POST " .. DEDUCT .. " HTTP/1.1\\r\\nHost: a\\r\\n"
                .. "Authorization: Bearer " .. edge.token("pipe" .. i .. "x")
                .. "\\r\\n" .. (i == 30 and "Connection: close\\r\\n" or "")
                .. "\\r\\n"
        end
        local got = edge.raw(table.concat(parts), 3)
        local _, answers = got:gsub("HTTP/1.1 202 ", "")
        assert.equal(30, answers)
        assert.equal(30, edge.seen())
    end)

    it("never sends an attempt twice, whatever became of the first",
        function()
            for _, user in ipairs { "broken", "hang" } do
                local status, _, body = edge.http("POST", DEDUCT,
                    { user = user })
                assert.equal(503, status)
                assert.equal("BUSY", body.code)
                assert.equal(1, edge.seen(), user)
            end
        end)

    it("keeps its connections to a service", function()
        local before = edge.connections()
        edge.run((function()
            edge.prepare_run(edge.attempts("560", 200), "kept")
            return "kept"
        end)(), 1)
        assert.equal(200, edge.seen())
        -- One for each worker, and one that the count itself needs.
        assert.is_true(edge.connections() - before <= 4)
    end)

    it("shows the public nothing of the internal listener", function()
        for _, path in ipairs { "/health", "/status", "/metrics",
                "/nginx_status", "/admin/sales", "/admin/audit",
                "/actuator", "/actuator/prometheus", "/.git/config",
                "/nginx.conf", "/keys", "/error.log", "/lua/README.md",
                "/page-headers.conf", "/../page-headers.conf",
                "/index.html/", "/shop.js/" } do
            local status = edge.http("GET", path)
            assert.is_true(status == 404 or status == 400, path)
        end
        for _, path in ipairs { "/", "/seckill/sales", DEDUCT, "/nothing" } do
            assert.equal(404, (edge.http("GET", path,
                { base = edge.internal })))
        end
        assert.equal(0, edge.seen())
    end)

    it("listens on loopback unless told otherwise", function()
        local listens = {}
        for address in edge.sh("grep -h listen '%s/edge/nginx.conf'",
                edge.dir):gmatch("listen ([%d.]+):") do
            listens[#listens + 1] = address
        end
        assert.same({ "127.0.0.1", "127.0.0.1" }, listens)
    end)

    it("cuts slow clients and serves the others meanwhile", function()
        -- Each sends a little and then nothing; the seconds it was kept.
        local SLOW = {
            "POST " .. DEDUCT .. " HTTP/1.1\\r\\nHost: a\\r\\nX-Slow: ",
            "POST " .. DEDUCT .. " HTTP/1.1\\r\\nHost: a\\r\\n" .. bearer
                .. "Content-Length: 900\\r\\n\\r\\nslow",
            "G",
        }
        local started = edge.now()
        for i, bytes in ipairs(SLOW) do
            edge.sh("bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d;"
                .. " printf \"%%b\" \"$0\" >&3; timeout 15 cat <&3 >&-;"
                .. " date +%%s.%%N >\"%s/cut%d\"' '%s' >/dev/null 2>&1 &",
                edge.port, edge.dir, i, bytes)
        end
        for _ = 1, 20 do
            assert.equal(202, (edge.http("POST", DEDUCT,
                { user = edge.stranger() })))
        end
        assert.is_true(edge.within(12, function()
            return edge.sh("ls '%s' | grep -c cut", edge.dir) == "3\n"
        end))
        for i = 1, #SLOW do
            local kept = tonumber((edge.sh("cat '%s/cut%d'", edge.dir, i)))
                - started
            assert.is_true(kept < 9, "kept for " .. kept .. " s")
        end
    end)

    it("writes no log but the errors', and no word of a client", function()
        edge.http("POST", DEDUCT .. "&secretQuery=1",
            { user = "logged", headers = { "X-Secret-Header: 1" } })
        edge.http("GET", "/seckill/secretPath")
        edge.http("GET", "/seckill/orders/secretOrder", { user = "logged" })
        assert.equal("error.log\n",
            edge.sh("cd '%s/edge' && find . -name '*.log' -printf '%%f\\n'",
                edge.dir))
        local log = edge.error_log()
        for _, word in ipairs { "secretQuery", "Secret-Header", "secretPath",
                "secretOrder", "logged", "Bearer" } do
            assert.is_nil(log:find(word, 1, true), word)
        end
    end)
end)
