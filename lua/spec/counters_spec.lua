-- Every request is counted once, whatever becomes of it: the equations of
-- contracts/counters.json hold, and they do not hold after a miscount.

local balance = require "balance"
local edge = require "edge"

describe("the counters", function()
    local DEDUCT = "/seckill/flash/sale/deduct?productId="
    local SN = ("1"):rep(24)

    setup(function()
        edge.start("", true)
        edge.start_redis()
        edge.sale("518", {}, 100000)
        edge.sale("519", { sold_out = 1 })
        edge.sale("520", { start_at_ms = edge.now_ms() + 600000 })
        edge.sale("521", { end_at_ms = edge.now_ms() - 500 })
        edge.sale("522", {}, 0)
        edge.sale("523", { path = "on" }, 1000)
        edge.redis("hset seckill:limits:product:524 qps 0")
        edge.sale("524")
        edge.sale("526", {}, 0)
        edge.redis("hset seckill:quota:525 total 0x10")
        edge.sale("525")
        edge.redis("hset seckill:quota:525 total 0x10")
    end)
    teardown(edge.stop)

    -- How much each series has grown since before.
    local function growth(before)
        local after = balance.read()
        return function(series)
            return (after[series] or 0) - (before[series] or 0)
        end
    end

    local function attempt(product, user, options)
        options = options or {}
        options.user = user or edge.stranger()
        return edge.http(options.method or "POST", DEDUCT .. product, options)
    end

    -- Raw bytes on a connection that is closed at once, or after seconds.
    local function cut_off(bytes, seconds)
        edge.sh("bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d; printf \"%%b\""
            .. " \"$0\" >&3; sleep %s' '%s' 2>&1", edge.port, seconds or 0,
            bytes)
    end

    -- A request line with a token, for cut_off().
    local function head(line, user, more)
        return line .. " HTTP/1.1\\r\\nHost: a\\r\\nAuthorization: Bearer "
            .. edge.token(user) .. "\\r\\n" .. (more or "") .. "\\r\\n"
    end

    local function refusals_of_attempts()
        return {
            BAD_REQUEST = function() return attempt "0" end,
            UNAUTHENTICATED = function()
                return edge.http("POST", DEDUCT .. "518")
            end,
            METHOD_NOT_ALLOWED = function()
                return attempt("518", nil, { method = "PUT" })
            end,
            NO_SUCH_SALE = function() return attempt "999" end,
            SOLD_OUT = function() return attempt "519" end,
            NOT_STARTED = function() return attempt "520" end,
            ENDED = function() return attempt "521" end,
            FORBIDDEN = function() return attempt "523" end,
            NOT_FOUND = function() return edge.buy("518", "a", "1-ab") end,
            PAUSED = function() return attempt "524" end,
            TOO_MANY_REQUESTS = function() return attempt "526" end,
            BUSY = function() return attempt "525" end,
        }
    end

    local function refusals_of_calls()
        return {
            UNAUTHENTICATED = { "GET", "/seckill/orders" },
            METHOD_NOT_ALLOWED = { "PUT", "/seckill/sales" },
            NO_SUCH_ORDER = { "GET", "/seckill/orders/12", "a" },
            NO_SUCH_SALE = { "GET", "/seckill/sales/7" },
            BAD_REQUEST = { "GET", "/seckill/sales/x" },
            NOT_FOUND = { "GET", "/admin" },
            PAYLOAD_TOO_LARGE = { "GET", "/" .. ("x"):rep(9000) },
            BUSY = { "GET", "/seckill/orders", "broken" },
            SOLD_OUT = { "POST", "/seckill/flash/sale/path?productId=519",
                "a" },
        }
    end

    it("count a refused attempt once, under its code", function()
        for code, refused in pairs(refusals_of_attempts()) do
            local before = balance.read()
            local _, _, body = refused()
            assert.equal(code, body.code)
            local grown = growth(before)
            assert.equal(1, grown('seckill_refused_total{code="' .. code
                .. '"}'))
            assert.equal(1, grown "seckill_attempts_total")
            assert.equal(0, grown "seckill_passed_total")
        end
        assert.equal("", balance.unbalanced())
    end)

    it("count a refused call once, under its code", function()
        for code, call in pairs(refusals_of_calls()) do
            local before = balance.read()
            local _, _, body = edge.http(call[1], call[2], { user = call[3] })
            assert.equal(code, body.code)
            local grown = growth(before)
            assert.equal(1, grown('seckill_calls_refused_total{code="' .. code
                .. '"}'))
            assert.equal(0, grown "seckill_attempts_total")
        end
        assert.equal("", balance.unbalanced())
    end)

    it("count a call that was served once, under its route", function()
        local calls = {
            path = { "POST", "/seckill/flash/sale/path?productId=523" },
            result = { "GET", "/seckill/flash/sale/result?productId=518" },
            orders = { "POST", "/seckill/orders/" .. SN .. "/pay" },
            sales = { "GET", "/seckill/sales/518" },
            page = { "GET", "/shop.css" },
        }
        for route, call in pairs(calls) do
            local before = balance.read()
            assert.equal(200, (edge.http(call[1], call[2], { user = "b" })))
            local grown = growth(before)
            assert.equal(1, grown('seckill_calls_served_total{route="'
                .. route .. '"}'))
            assert.equal(0, grown "seckill_attempts_total")
        end
        assert.equal("", balance.unbalanced())
    end)

    it("count an attempt that passed under its answer's code", function()
        for user, code in pairs { x = "ACCEPTED", bought = "ALREADY_BOUGHT",
                beaten = "SOLD_OUT", broken = "NO_ANSWER" } do
            local before = balance.read()
            attempt("518", user)
            local grown = growth(before)
            assert.equal(1, grown "seckill_passed_total")
            assert.equal(1, grown('seckill_answered_total{code="' .. code
                .. '"}'))
            assert.equal(1, grown "seckill_tokens_spent_total")
            assert.equal(code == "ACCEPTED" and 0 or 1,
                grown "seckill_tokens_given_back_total")
        end
        local before = balance.read()
        attempt("518", "x")  -- who may hold a unit spends no token
        local grown = growth(before)
        assert.equal(1, grown "seckill_passed_total")
        assert.equal(0, grown "seckill_tokens_spent_total")
        assert.equal("", balance.unbalanced())
    end)

    it("count a lease by what it brought", function()
        local before = balance.read()
        edge.sale("526", {}, 1)
        attempt "526"  -- it has the only token; more are asked for
        local function comes(name)
            assert.is_true(edge.within(1, function()
                return growth(before)(name) == 1
            end), name)
        end
        comes "seckill_leases_empty_total"
        edge.sh("sleep 0.2")
        attempt "525"
        comes "seckill_leases_failed_total"
        local grown = growth(before)
        assert.equal(3, grown "seckill_leases_total")
        assert.equal(1, grown "seckill_leases_filled_total")
        assert.equal(1, grown "seckill_leases_empty_total")
        assert.equal(1, grown "seckill_leases_failed_total")
    end)

    it("balance when clients go away, early and late", function()
        local before = balance.read()
        cut_off ""  -- a connection that says nothing is no request
        cut_off "POST /seckill/fl"
        cut_off("GET /seckill/orders HTTP/1.1\\r\\nHost: a\\r\\nAuth")
        cut_off(head("POST " .. DEDUCT .. "518", "slowly"))
        cut_off(head("POST " .. DEDUCT .. "518", "hang"))
        cut_off(head("GET /seckill/flash/sale/result?productId=518", "slow"))
        cut_off(head("GET /seckill/orders", "slow"))
        cut_off(head("GET /seckill/sales", "a"))
        cut_off(head("GET /", "a"))
        cut_off(head("POST " .. DEDUCT .. "519", "a"))
        cut_off(head("POST " .. DEDUCT .. "518", "body",
            "Content-Length: 9\\r\\n"))
        cut_off("GET /seckill/orders\\r\\n", 0.1)  -- HTTP/0.9
        cut_off("nonsense\\r\\n\\r\\n", 0.1)
        assert.equal("", balance.unbalanced(8))
        local grown = growth(before)
        assert.equal(3, grown "seckill_calls_broken_total")
        assert.equal(4, grown "seckill_attempts_total")
        assert.equal(3, grown "seckill_passed_total")
    end)

    it("balance when clients are too slow", function()
        local before = balance.read()
        edge.sh("bash -c '(exec 3<>/dev/tcp/127.0.0.1/%d;"
            .. " printf \"GET / HT\" >&3; sleep 6) & (exec"
            .. " 3<>/dev/tcp/127.0.0.1/%d; printf \"%%b\" \"$0\" >&3;"
            .. " sleep 6) & wait' '%s' 2>&1", edge.port, edge.port,
            head("POST " .. DEDUCT .. "518", "lame",
                "Content-Length: 9\\r\\n"))
        assert.equal("", balance.unbalanced())
        local grown = growth(before)
        assert.equal(1, grown "seckill_calls_broken_total")
        assert.equal(1, grown "seckill_passed_total")
    end)

    it("balance after a mixed load on two workers", function()
        local requests = {}
        local function add(count, method, path, user)
            for i = 1, count do
                requests[#requests + 1] = { method, path, user .. i }
            end
        end
        for round = 1, 3 do
            local name = ("abc"):sub(round, round) .. "crowd"
            add(60, "POST", DEDUCT .. "518", name)
            add(20, "POST", DEDUCT .. "518", "beaten")
            add(20, "POST", DEDUCT .. "518", "broken")
            add(20, "POST", DEDUCT .. "519", name)
            add(20, "POST", DEDUCT .. "522", name)
            add(20, "POST", DEDUCT .. "524", name)
            add(20, "POST", DEDUCT .. "525", name)
            add(20, "GET", "/seckill/flash/sale/result?productId=518", name)
            add(20, "POST", "/seckill/flash/sale/path?productId=523", name)
            add(20, "GET", "/seckill/orders", name)
            add(20, "GET", "/seckill/orders/" .. SN, "broken")
            add(20, "GET", "/seckill/sales", name)
            add(20, "GET", "/nowhere", name)
            add(10, "GET", "/%00", name)
            add(10, "GET", "/shop.js", name)
        end
        local before = balance.read()
        edge.flood(requests, 40)
        assert.equal("", balance.unbalanced())
        local grown = growth(before)
        assert.equal(540, grown "seckill_attempts_total")
        assert.is_true(grown "seckill_passed_total" >= 180)
        assert.equal(420, grown "seckill_calls_total"
            - grown 'seckill_calls_served_total{route="internal"}')
    end)

    it("balance over reloads under load", function()
        edge.sh("for i in 1 2 3; do kill -HUP %d; sleep 0.3; done &",
            edge.edge_pid)
        local passed = 0
        for round = 1, 6 do
            passed = passed + (edge.crowd("518", "hup" .. round .. "x", 100,
                10)[202] or 0)
        end
        assert.is_true(passed > 0)
        assert.equal("", balance.unbalanced(8))
    end)

    it("are of bounded number and all in the table", function()
        edge.redis("hset seckill:limits edge.shadow_quota 1")
        assert.is_true(edge.within(2, function()
            return attempt("526") == 202
        end))
        edge.redis("hdel seckill:limits edge.shadow_quota")
        local _, sums = balance.read()
        local count = 0
        for _, row in ipairs(balance.rows()) do
            assert.is_number(sums[row.name], row.name)
            count = count + 1
        end
        assert.is_true(count >= 20)
        local series = 0
        for _ in pairs((balance.read())) do
            series = series + 1
        end
        assert.is_true(series < 150)
    end)

    it("are printed by no walk over the keys of a dict, and nothing else does"
            .. " one", function()
        assert.equal("",
            edge.sh("grep -rl get_keys lua/seckill lua/phase nginx"))
    end)

    it("tell how full each dict is and how the configuration is", function()
        local series = balance.read()
        for _, dict in ipairs { "config", "state", "counters", "rates",
                "leases", "sold_out", "inflight", "holders", "users" } do
            local label = '{dict="seckill_' .. dict .. '"}'
            assert.is_true(series["seckill_dict_bytes" .. label]
                >= series["seckill_dict_free_bytes" .. label])
        end
        assert.equal(1, series.seckill_control_redis_up)
        assert.equal(0, series.seckill_in_flight)
        local status = edge.status()
        assert.equal(status.configVersion, series.seckill_config_version)
        assert.equal(status.configErrors, series.seckill_config_errors)
    end)

    it("are what /status is made of", function()
        local decisions = edge.status().decisions
        local series = balance.read()
        local function of(name, code)
            return series[("seckill_%s_total{code=\"%s\"}"):format(name,
                code)] or 0
        end
        for _, code in ipairs { "SOLD_OUT", "BAD_REQUEST", "NOT_FOUND",
                "TOO_MANY_REQUESTS", "UNAUTHENTICATED" } do
            assert.is_true(decisions[code] > 0)
            assert.equal(decisions[code],
                of("refused", code) + of("calls_refused", code))
        end
        assert.equal(decisions.PASSED + decisions.AGAIN,
            series.seckill_passed_total)
        assert.equal(decisions.GIVEN_BACK,
            series.seckill_tokens_given_back_total)
    end)

    it("do not balance after a miscount of any of them", function()
        local planted = 0
        for _, key in ipairs { "refused:SOLD_OUT", "call_refused:NOT_FOUND",
                "served:page", "broken", "first", "again", "first:ACCEPTED",
                "first:SOLD_OUT", "again:NO_ANSWER", "given_back", "leases",
                "leases_filled", "leases_empty", "leases_failed",
                "redis_calls", "redis_answered", "redis_failed",
                "limiter:quota", "unlimited", "undecided", "held_back" } do
            local _, before = balance.read()
            edge.http("GET", "/plant?key=" .. key, { base = edge.internal })
            local _, sums = balance.read()
            -- seen alone, without the miscounts planted before
            for name, sum in pairs(sums) do
                sums[name] = sum - before[name]
            end
            assert.is_true(#balance.wrong(sums) > 0, key)
            planted = planted + 1
        end
        assert.equal(21, planted)
        assert.is_true(balance.unbalanced(0.1) ~= "")
    end)
end)
