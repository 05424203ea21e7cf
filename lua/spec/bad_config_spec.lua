-- Whatever an operator, a script or a broken disk writes into the control
-- Redis: the last good value stays in force, the error counter counts each
-- change once, and the log has one line for it. Each case has a product of
-- its own, so that all of them are met by the same poll.

local edge = require "edge"
local limits = require "seckill.config.limits"

describe("a bad value", function()
    local MEGABYTE = 1024 * 1024

    setup(function()
        edge.start()
        edge.start_redis()
    end)
    teardown(edge.stop)

    local lines_about = edge.count_of

    local function errors()
        return edge.status().configErrors
    end

    local function attempts_of(products)
        local requests = {}
        for i, product in ipairs(products) do
            requests[i] = edge.attempts(product, 1)[1]
        end
        return requests
    end

    -- The statuses of one attempt of each product, in their order.
    local function statuses(products)
        edge.prepare_run(attempts_of(products), "each")
        local list = {}
        for i, answer in ipairs(edge.run("each", 1)) do
            list[i] = answer.status
        end
        return list
    end

    local function repeated(value, count)
        local list = {}
        for i = 1, count do
            list[i] = value
        end
        return list
    end

    -- Writes what is bad, waits until it was counted, and two polls more.
    local function spoil(commands, count)
        local before = errors()
        edge.redis_all(commands)
        assert.is_true(edge.within(2, function()
            return errors() >= before + count
        end), "not all were counted: " .. errors() - before)
        edge.sleep(0.6)
        assert.equal(before + count, errors())
    end

    describe("of a limit", function()
        local BAD = {
            { "no number", "ten" }, { "not a number", "nan" },
            { "NaN", "NaN" }, { "infinite", "inf" }, { "-inf", "-inf" },
            { "negative", "-1" }, { "signed", "+1" },
            { "hexadecimal", "0x10" }, { "octal", "010" },
            { "an exponent", "1e3" }, { "a fraction", "1.5" },
            { "with a blank before", " 12" }, { "a blank after", "12 " },
            { "a line feed after", "12\n" }, { "a tab after", "12\t" },
            { "a NUL after", "12\0" }, { "empty", "" }, { "a blank", " " },
            { "above its bound", "10000001" },
            { "beyond 32 bits", "4294967297" },
            { "beyond 64 bits", "18446744073709551617" },
            { "broken UTF-8", "\255\254" },
            { "digits of another script", "\239\188\145\239\188\146" },
            { "a megabyte of digits", ("1"):rep(MEGABYTE) },
            { "a megabyte of noise", ("\1\128\n"):rep(MEGABYTE / 3) },
            { "two lines", "1\n2" }, { "a list", "1,2" },
        }
        local WRONG_TYPES = {
            { "a text", "set", "100" }, { "a list", "rpush", "qps", "1" },
            { "a set", "sadd", "qps" }, { "a sorted set", "zadd", 1, "qps" },
            { "a stream", "xadd", "*", "qps", "1" },
        }
        local closed, open = {}, {}

        local function key(product)
            return "seckill:limits:product:" .. product
        end

        setup(function()
            local commands = {}
            for i = 1, #BAD + #WRONG_TYPES do
                closed[i], open[i] = "66" .. 100 + i, "67" .. 100 + i
                commands[#commands + 1] = { "HSET", key(closed[i]), "qps", 0 }
                commands[#commands + 1] = { "HSET", key(open[i]), "qps", 99 }
            end
            edge.redis_all(commands)
            edge.sales(closed)
            edge.sales(open)
        end)

        it("leaves the last good one in force, whatever it is", function()
            local commands = {}
            for i, case in ipairs(BAD) do
                for _, product in ipairs { closed[i], open[i] } do
                    commands[#commands + 1] =
                        { "HSET", key(product), "qps", case[2] }
                end
            end
            for i, case in ipairs(WRONG_TYPES) do
                for _, list in ipairs { closed, open } do
                    local name = key(list[#BAD + i])
                    commands[#commands + 1] = { "DEL", name }
                    commands[#commands + 1] =
                        { case[2], name, unpack(case, 3) }
                end
            end
            spoil(commands, #closed + #open)
            assert.same(repeated(503, #closed), statuses(closed))
            assert.same(repeated(202, #open), statuses(open))
        end)

        it("is told in one line of the log, short and clean", function()
            local log = edge.error_log()
            for i = 1, #closed do
                local name = (BAD[i] or WRONG_TYPES[i - #BAD])[1]
                for _, product in ipairs { closed[i], open[i] } do
                    assert.equal(1, lines_about(log, product
                        .. ".qps: not allowed: "), name)
                end
                assert.equal(1, lines_about(log, open[i]
                    .. ".qps: not allowed: "), name)
            end
            assert.is_nil(log:find("[%z\1-\9\11-\31\127-\255]"))
            for line in log:gmatch("[^\n]+") do
                assert.is_true(#line < 400, line:sub(1, 80))
            end
        end)

        it("that changes into another bad one is counted again", function()
            spoil({ { "HSET", key(closed[1]), "qps", "eleven" },
                { "HSET", key(open[1]), "qps", "ten " } }, 2)
            assert.same({ 503, 202 }, statuses { closed[1], open[1] })
        end)

        it("that is good again is in force within a second", function()
            local before, commands = errors(), {}
            for i = 1, #closed do
                commands[#commands + 1] = { "DEL", key(closed[i]) }
                commands[#commands + 1] = { "DEL", key(open[i]) }
                commands[#commands + 1] = { "HSET", key(closed[i]), "qps", 9 }
                commands[#commands + 1] = { "HSET", key(open[i]), "qps", 0 }
            end
            edge.redis_all(commands)
            assert.is_true(edge.within(1, function()
                return edge.buy(closed[1], edge.stranger()) == 202
                    and edge.buy(open[#open], edge.stranger()) == 503
            end))
            assert.same(repeated(202, #closed), statuses(closed))
            assert.same(repeated(503, #open), statuses(open))
            assert.equal(before, errors())
            local log = edge.error_log()
            for _, product in ipairs(closed) do
                assert.equal(1, lines_about(log,
                    product .. ".qps is good again"))
            end
        end)

        it("of the node behaves like a product's", function()
            local product = closed[1]
            local function spoiled(command, count)
                spoil({ { "DEL", "seckill:limits" }, command }, count)
                return edge.buy(product, edge.stranger())
            end
            edge.redis("hset seckill:limits edge.global_qps 0")
            assert.is_true(edge.within(1, function()
                return edge.buy(product, edge.stranger()) == 503
            end))
            assert.equal(503, spoiled({ "SET", "seckill:limits", "text" },
                #limits.OF_NODE))
            assert.equal(503, spoiled({ "HSET", "seckill:limits",
                "edge.global_qps", "1e9" }, 1))
            edge.redis("del seckill:limits")
            assert.is_true(edge.within(1, function()
                return edge.buy(product, edge.stranger()) == 202
            end))
            assert.equal(202, spoiled({ "HSET", "seckill:limits",
                "edge.global_qps", "-0" }, 1))
        end)

        it("that nothing reads is nobody's business", function()
            local before = errors()
            edge.redis_all {
                { "HSET", "seckill:limits", "edge.global_qps", "5000",
                    "edge.unknown", "nan" },
                { "HSET", key(closed[2]), "burst", "inf" },
            }
            edge.sleep(0.6)
            assert.equal(before, errors())
            assert.equal(202, (edge.buy(closed[2], edge.stranger())))
        end)
    end)

    describe("of a sale", function()
        local BAD = {
            product_id = { "", "0", "x", "68", "01", "-1", ("9"):rep(19) },
            name = { ("n"):rep(201), "a\nb", "a\0b", "a\27[2J", "\255",
                "a\195", "\237\160", ("n"):rep(MEGABYTE) },
            price_cents = { "", "-1", "+1", "1.5", "1e3", "0x10", "nan",
                "inf", " 1", "1 ", "01", ("9"):rep(15),
                ("9"):rep(MEGABYTE) },
            start_at_ms = { "", "nan", "-1", "1e12", "0x10", " 1", "never",
                ("9"):rep(14) },
            end_at_ms = { "", "inf", "0", "1", "2e12", "9999999999999 " },
            per_user_limit = { "", "-1", "one", "1.0", "0x1", " 1" },
            path = { "", "ON", "yes", "1", "on " },
            sold_out = { "", "2", "true", "-1", "00" },
            synthetic = { "", "2", "on" },
        }
        local WRONG_TYPES = {
            { "set", "text" }, { "rpush", "name", "x" }, { "sadd", "name" },
            { "zadd", 1, "name" }, { "xadd", "*", "name", "x" },
        }
        local cases, products = {}, {}

        local function key(case)
            return "seckill:sale:" .. case.product
        end

        setup(function()
            for field, values in pairs(BAD) do
                for _, value in ipairs(values) do
                    cases[#cases + 1] = { field = field, bad = value }
                end
                cases[#cases + 1] = { field = field }  -- missing
            end
            for _, command in ipairs(WRONG_TYPES) do
                cases[#cases + 1] =
                    { field = "product_id", command = command }
            end
            for i, case in ipairs(cases) do
                case.product = "68" .. 100 + i
                products[i] = case.product
            end
            edge.sales(products)
        end)

        it("leaves the sale as it was, listed and open", function()
            local commands = {}
            for _, case in ipairs(cases) do
                if case.command then
                    commands[#commands + 1] = { "DEL", key(case) }
                    commands[#commands + 1] = { case.command[1], key(case),
                        unpack(case.command, 2) }
                elseif case.bad then
                    commands[#commands + 1] =
                        { "HSET", key(case), case.field, case.bad }
                else
                    commands[#commands + 1] =
                        { "HDEL", key(case), case.field }
                end
            end
            spoil(commands, #cases)
            assert.same(repeated(202, #cases), statuses(products))
            local _, _, list = edge.http("GET", "/seckill/sales")
            local names = {}
            for _, sale in ipairs(list.sales) do
                names[sale.productId] = sale.name
            end
            for _, product in ipairs(products) do
                assert.equal("Demo", names[product])
            end
        end)

        it("is told in one line that names the field, not the value",
            function()
                local log = edge.error_log()
                for _, case in ipairs(cases) do
                    local name = key(case) .. ": not allowed: this "
                    assert.equal(1, lines_about(log, name), case.field)
                    -- A time that is wrong may show as the span's end.
                    assert.is_true(lines_about(log, name .. case.field) == 1
                        or case.field == "start_at_ms"
                        and lines_about(log, name .. "end_at_ms") == 1,
                        key(case) .. " " .. case.field)
                end
                assert.is_nil(log:find("[%z\1-\9\11-\31\127-\255]"))
            end)

        it("that was never good is no sale", function()
            edge.redis_all {
                { "HSET", "seckill:sale:69001", "product_id", "69001" },
                { "SET", "seckill:sale:69002", "text" },
                { "SADD", "seckill:sales", "69001", "69002", "69003" },
            }
            edge.sleep(0.6)
            for _, product in ipairs { "69001", "69002", "69003" } do
                local _, _, body = edge.buy(product, edge.stranger())
                assert.equal("NO_SUCH_SALE", body.code)
                assert.equal(404, (edge.http("GET", "/seckill/sales/"
                    .. product)))
            end
            edge.redis("srem seckill:sales 69001 69002 69003")
        end)

        it("that is mended is in force within a second", function()
            for _, at in ipairs { 1, 20, #cases } do
                edge.redis("del %s", key(cases[at]))
                edge.sale(cases[at].product, { name = "Mended" })
                assert.equal(1, lines_about(edge.error_log(),
                    key(cases[at]) .. " is good again"))
            end
        end)
    end)

    describe("in the set of sales", function()
        local MEMBERS = { "*", "0", "01", "-1", "1.5", "nan", "0x10", " 1",
            "1 ", "", "../1", "{1}", "1\n2", "1\0", "\255\254",
            ("9"):rep(19), ("9"):rep(MEGABYTE), "seckill:sale:1" }

        it("is passed over with one line, and the others are read", function()
            local before = errors()
            edge.redis_all {
                { "SADD", "seckill:sales", unpack(MEMBERS) } }
            edge.sale("69100", { name = "After" })
            edge.sleep(0.6)
            assert.equal(before + 1, errors())
            assert.equal(1, lines_about(edge.error_log(), #MEMBERS
                .. " that are no product"))
            assert.equal(202, (edge.buy("69100", edge.stranger())))
            edge.redis_all {
                { "SREM", "seckill:sales", unpack(MEMBERS) } }
            assert.is_true(edge.within(1, function()
                return lines_about(edge.error_log(),
                    "seckill:sales is good again") == 1
            end))
        end)

        for _, kind in ipairs { { "a text", "set", "x" },
                { "a hash", "hset", "518", "1" },
                { "a list", "rpush", "69100" } } do
            it("or " .. kind[1] .. " in its place closes no sale", function()
                edge.redis("rename seckill:sales kept")
                edge.redis_all { { kind[2], "seckill:sales",
                    unpack(kind, 3) } }
                edge.sleep(0.6)
                local status = edge.status()
                local got = edge.buy("69100", edge.stranger())
                edge.redis("rename kept seckill:sales")
                assert.matches("seckill:sales: WRONGTYPE",
                    status.controlRedis, 1, true)
                assert.equal(202, got)
                assert.is_true(edge.within(1, function()
                    return edge.status().controlRedis == "ok"
                end))
            end)
        end
    end)

    describe("of a quota", function()
        local BAD = { "", "x", "nan", "inf", "-1", "0x10", "1e3", "1.5",
            " 10", "10 ", "1\n0" }
        local WRONG_TYPES = { { "set", "1" }, { "rpush", "total", "9" },
            { "sadd", "total" } }

        it("is answered BUSY, and issues and passes nothing", function()
            local products, commands = {}, {}
            for i = 1, 2 * #BAD + #WRONG_TYPES do
                products[i] = "691" .. 100 + i
            end
            edge.sales(products)
            for i, product in ipairs(products) do
                local key = "seckill:quota:" .. product
                local case = WRONG_TYPES[i - 2 * #BAD]
                if case then
                    commands[#commands + 1] = { "DEL", key }
                    commands[#commands + 1] = { case[1], key,
                        unpack(case, 2) }
                else
                    commands[#commands + 1] = { "HSET", key,
                        i <= #BAD and "total" or "issued",
                        BAD[i <= #BAD and i or i - #BAD] }
                end
            end
            edge.redis_all(commands)
            assert.same(repeated(503, #products), statuses(products))
            for i = 1, #BAD do
                assert.equal("0", edge.redis("hget seckill:quota:%s issued",
                    products[i]))
            end
            assert.equal("ok", edge.status().controlRedis)
        end)

        it("that has none is used up, and not sold out", function()
            edge.sale("69201")
            edge.redis("del seckill:quota:69201")
            local status, headers, body = edge.buy("69201", edge.stranger())
            assert.equal(429, status)
            assert.equal("TOO_MANY_REQUESTS", body.code)
            assert.equal("1", headers["retry-after"])
        end)
    end)
end)
