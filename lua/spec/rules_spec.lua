-- Rules that need no nginx: parameters, limits, refusals.

local bounds = require "bounds"
local cjson = require "cjson"
local limits = require "seckill.config.limits"
local params = require "seckill.request.params"
local refusals = require "seckill.request.refusals"

local function table_of(name)
    local file = assert(io.open("contracts/" .. name))
    local rows = cjson.decode(file:read("*a"))
    file:close()
    return rows
end

describe("parameters", function()
    local function product(args)
        local found, why = params.read(args)
        if not found then
            return nil, why
        end
        return params.product(found)
    end

    local function quantity(text)
        return (params.quantity { quantity = text })
    end

    it("are read once decoded, whatever stands around them", function()
        assert.equal("518", product "productId=518")
        assert.equal("518", product "productId=%35%31%38")
        assert.equal("518", product "price=1&&productId=518&userId=mallory&")
        assert.equal("9", product("productId=9&" .. ("x=1&"):rep(99)))
        assert.equal(("9"):rep(18), product("productId=" .. ("9"):rep(18)))
    end)

    it("that two parsers could read differently are refused", function()
        for _, args in ipairs { "productId=1&productId=1",
                "productId=1&productId=2", "%70roductId=1",
                "productId=1&%70roductId=2", "PRODUCTID=1",
                "productId=1&productid=2", "productId=1&a=%",
                "productId=1&a=%zz", "productId=1%2", "quantity=1&quantity=2",
                "productId=9&" .. ("x=1&"):rep(100) } do
            local got, why = product(args)
            assert.is_nil(got)
            assert.is_string(why)
        end
    end)

    it("name no product unless it is 1 to 18 plain digits", function()
        for _, text in ipairs { "", "0", "-1", "+1", "01", "1.5", "1e3",
                "0x10", " 1", "1 ", "1%00", "1%0d%0aX:1", "..%2f", "{518}",
                "*", "nan", "%EF%BC%95", ("9"):rep(19), ("1"):rep(5000) } do
            assert.is_nil((product("productId=" .. text)))
        end
        assert.is_nil((product(nil)))
        assert.is_nil((product "productId"))
    end)

    it("take a quantity from 1 to its bound and 1 by default", function()
        assert.equal(1, quantity(nil))
        assert.equal(2, quantity "2")
        local most = bounds.quantity_units
        assert.equal(most, quantity(("%d"):format(most)))
        for _, text in ipairs { "", "0", "-1", "1.5", "01", "1e1", "0x1",
                ("%d"):format(most + 1), "2147483648",
                "9223372036854775808", ("9"):rep(400), "NaN", "null",
                "[]", '"1"', " 1" } do
            assert.is_nil(quantity(text))
        end
    end)
end)

describe("a page of orders", function()
    local SN = ("1"):rep(24)

    it("is asked for as it was checked, and nothing else is", function()
        local most = ("%d"):format(bounds.page_orders)
        for args, asked in pairs {
            [""] = "", ["x=1&productId=518"] = "", ["limit=1"] = "?limit=1",
            ["limit=" .. most] = "?limit=" .. most,
            ["%6cimit=7"] = false, ["before=0-" .. SN] = "?before=0-" .. SN,
            ["before=" .. ("9"):rep(14) .. "-" .. SN .. "&a=b&limit=%37"] =
                "?limit=7&before=" .. ("9"):rep(14) .. "-" .. SN,
        } do
            assert.equal(asked or nil, (params.orders_page(args)), args)
        end
        assert.equal("", params.orders_page(nil))
    end)

    it("is refused where a part of it is none", function()
        local above = ("limit=%d"):format(bounds.page_orders + 1)
        for _, args in ipairs { above, "limit=", "limit", "limit=0",
                "limit=-1", "limit=01", "limit=1e1", "limit=1.5",
                "limit=%31%00", "limit=1&limit=1", "LIMIT=1", "limit=1%0a",
                "before=", "before=" .. SN, "before=1-" .. SN .. "1",
                "before=-" .. SN, "before=1-" .. SN:sub(2), "before=1-x",
                "before=" .. ("9"):rep(15) .. "-" .. SN,
                "before=1-" .. SN .. "%26limit=9", "before=1-" .. SN .. "%0a",
                "before=1-" .. SN .. "&before=1-" .. SN } do
            local page, why = params.orders_page(args)
            assert.is_nil(page, args)
            assert.is_string(why)
        end
    end)
end)

describe("bounds", function()
    it("are read by name, and none may be missing or a text", function()
        for name, most in pairs(table_of "bounds.json") do
            local rows = table_of "bounds.json"
            rows[name] = ("%d"):format(most)
            assert.equal(bounds[name] == nil, (pcall(bounds.init, rows)), name)
        end
    end)
end)

describe("a limit", function()
    local rows = limits.table_of(table_of "limits.json")
    local row = { default = 500, min = 1, max = 1000 }

    it("has its default where nothing is written", function()
        assert.equal(500, limits.read(row, nil))
        assert.equal(10000, limits.read(rows["edge.global_qps"], nil))
        assert.equal(2000, limits.read(rows.qps, nil))
    end)

    it("is a plain whole number within its bounds", function()
        assert.equal(1, limits.read(row, "1"))
        assert.equal(1000, limits.read(row, "1000"))
        assert.equal(0, limits.read(rows.qps, "0"))
        for _, text in ipairs { "", "0", "1001", "-1", "+1", "01", "1.0",
                "1e2", "0x10", "nan", "inf", "-inf", "1e400", " 12", "12 ",
                "12\n", "12\0", "１２", ("1"):rep(10), ("1"):rep(1e6) } do
            assert.is_nil(limits.read(row, text))
        end
        assert.is_nil(limits.read(row, false))
        assert.is_nil(limits.read(row, {}))
    end)

    it("table without sane numbers stops the start", function()
        assert.has_error(function()
            limits.table_of { { key = "k", default = 9, min = 0, max = 5 } }
        end, "limits.json: k has no sane numbers")
    end)
end)

describe("a refusal", function()
    local rows = refusals.table_of(table_of "refusals.json")

    -- What a client reads: the body decoded, and the header.
    local function answered(row, random, fields)
        local text, retry_after = refusals.answer(row, random, fields)
        return cjson.decode(text), retry_after
    end

    it("that a retry helps waits 100 to 150 % of the table's time",
        function()
            local row = rows.TOO_MANY_REQUESTS
            assert.equal(200, answered(row, 0).retryAfterMs)
            assert.equal(299, answered(row, 0.999).retryAfterMs)
            assert.equal(row.message, answered(row, 0).message)
            assert.equal(200, answered(row, 0, {}).retryAfterMs)
        end)

    it("that no retry helps says so", function()
        for _, fields in ipairs { {}, { wait_ms = 70 } } do
            local body, retry_after = answered(rows.SOLD_OUT, 0.999, fields)
            assert.equal(0, body.retryAfterMs)
            assert.is_nil(retry_after)
        end
    end)

    it("before the start waits for the start and a little more", function()
        local fields = { wait_ms = 61001 }
        assert.equal(61001,
            answered(rows.NOT_STARTED, 0, fields).retryAfterMs)
        local body, retry_after = answered(rows.NOT_STARTED, 0.999, fields)
        assert.equal(61500, body.retryAfterMs)
        assert.equal("62", retry_after)
        assert.equal(99999999999999, answered(rows.NOT_STARTED, 0,
            { wait_ms = 99999999999999 }).retryAfterMs)
    end)

    it("has whole seconds, at least one, in its header", function()
        for wait_ms, seconds in pairs { [1] = "1", [1000] = "1",
                [1001] = "2" } do
            local _, retry_after = answered(rows.NOT_STARTED, 0,
                { wait_ms = wait_ms })
            assert.equal(seconds, retry_after)
        end
    end)

    it("of each code is the same, prepared or put together", function()
        for code, row in pairs(rows) do
            for _, random in ipairs { 0, 0.3, 0.5, 0.999 } do
                local body, retry_after = answered(row, random)
                assert.equal(code, body.code)
                local other, other_after = answered(row, random,
                    { message = row.message })
                assert.same(body, other)
                assert.equal(retry_after, other_after)
            end
        end
    end)

    it("quotes whatever its message holds", function()
        local message = 'a "b" \\ \n'
        assert.equal(message,
            answered(rows.BAD_REQUEST, 0, { message = message }).message)
    end)

    -- The template has one line for each of them; another one is cut off.
    it("has a status that nginx.conf can say", function()
        local file = assert(io.open("nginx/nginx.conf.template"))
        local text = file:read("*a")
        file:close()
        for code, row in pairs(rows) do
            local block = text:match("if %(%$seckill_status = " .. row.status
                .. "%) (%b{})") or ""
            -- no attempt is too large once it is decided: nginx says so
            assert.equal(code ~= "PAYLOAD_TOO_LARGE",
                block:find("return " .. row.status .. " $seckill_body;", 1,
                    true) ~= nil, code)
            -- what the location says is not said in a block that adds more
            for _, header in ipairs { "Cache-Control", "X-Request-Id" } do
                assert.equal(block:find("add_header", 1, true) ~= nil,
                    block:find("add_header " .. header, 1, true) ~= nil, code)
            end
            if row.retryAfterMs > 0 then
                assert.is_truthy(block:find("$seckill_retry_after", 1, true),
                    code)
            end
        end
    end)

    -- Each phase more costs a refusal a tenth of its CPU.
    it("of an attempt runs no code but the decision's", function()
        local file = assert(io.open("nginx/nginx.conf.template"))
        local block = file:read("*a")
            :match("location ~ [^\n]*deduct[^\n]* (%b{})")
        file:close()
        local code = {}
        for name, what in block:gmatch("([a-z_]+_by_lua[a-z_]*) +([^\n]+)") do
            code[#code + 1] = name .. " " .. what
        end
        assert.same({ "log_by_lua_block { }", "set_by_lua_file"
            .. ' $seckill_status "@ROOT@/lua/phase/decide.lua";' }, code)
    end)

    it("that any module names is in the table", function()
        local named = {}
        local pipe = io.popen("cat $(find lua/seckill lua/phase -type f)")
        for code in pipe:read("*a"):gmatch('"([A-Z][A-Z_]+)"') do
            named[code] = true
        end
        pipe:close()
        local OTHERS = { ERR = 1, AGAIN = 1, PASSED = 1, ACCEPTED = 1,
            GIVEN_BACK = 1, INFLIGHT_FULL = 1, LEASE_FAILED = 1, GET = 1,
            POST = 1, HEAD = 1, SECKILL_TOKEN_KEYS = 1, UP = 1, DOWN = 1,
            NO_ANSWER = 1, OTHER = 1 }
        assert.is_true(named.SOLD_OUT and named.BUSY)
        for code in pairs(named) do
            assert.is_truthy(rows[code] or OTHERS[code], code)
        end
    end)

    it("table with a gap stops the start", function()
        assert.has_error(function()
            refusals.table_of { { code = "X", status = 400 } }
        end, "refusals.json: X is not complete")
    end)
end)
