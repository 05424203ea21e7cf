-- Rules that need no nginx: parameters, limits, refusals, sales, paths, keys.

local cjson = require "cjson"
local crypto = require "seckill.crypto"
local keys = require "seckill.keys"
local limits = require "seckill.limits"
local params = require "seckill.params"
local paths = require "seckill.path"
local refusals = require "seckill.refusals"
local sales = require "seckill.sale"

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

    it("take a quantity from 1 to 9999 and 1 by default", function()
        assert.equal(1, quantity(nil))
        assert.equal(2, quantity "2")
        assert.equal(9999, quantity "9999")
        for _, text in ipairs { "", "0", "-1", "1.5", "01", "1e1", "0x1",
                "10000", "2147483648", "9223372036854775808", "NaN", "null",
                "[]", '"1"', " 1" } do
            assert.is_nil(quantity(text))
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

    it("that a retry helps waits 100 to 150 % of the table's time",
        function()
            local row = rows.TOO_MANY_REQUESTS
            assert.equal(200, refusals.body(row, 0).retryAfterMs)
            assert.equal(299, refusals.body(row, 0.999).retryAfterMs)
            assert.equal(row.message, refusals.body(row, 0).message)
        end)

    it("that no retry helps says so", function()
        local body = refusals.body(rows.SOLD_OUT, 0.999, { wait_ms = 70 })
        assert.equal(0, body.retryAfterMs)
        assert.is_nil(refusals.retry_after(body))
    end)

    it("before the start waits for the start and a little more", function()
        local fields = { wait_ms = 61001 }
        assert.equal(61001,
            refusals.body(rows.NOT_STARTED, 0, fields).retryAfterMs)
        assert.equal(61500,
            refusals.body(rows.NOT_STARTED, 0.999, fields).retryAfterMs)
    end)

    it("has whole seconds, at least one, in its header", function()
        assert.equal(1, refusals.retry_after { retryAfterMs = 1 })
        assert.equal(1, refusals.retry_after { retryAfterMs = 1000 })
        assert.equal(2, refusals.retry_after { retryAfterMs = 1001 })
    end)

    it("table with a gap stops the start", function()
        assert.has_error(function()
            refusals.table_of { { code = "X", status = 400 } }
        end, "refusals.json: X is not complete")
    end)
end)

describe("a sale", function()
    local GOOD = { "518", "Phöne", "9900", "1000", "2000", "1", "off", "3",
        "0" }

    local function with(field, value)
        local values = { unpack(GOOD) }
        for i, name in ipairs(sales.FIELDS) do
            if name == field then
                values[i] = value
            end
        end
        return sales.parse(values)
    end

    it("is read from its hash and survives the shared dict", function()
        local sale = sales.parse(sales.unpack(sales.pack(GOOD)))
        assert.same({ product = "518", name = "Phöne", price_cents = 9900,
            start_at_ms = 1000, end_at_ms = 2000, per_user_limit = 1,
            path = false, epoch = "3", sold_out = false }, sale)
        assert.equal("", sales.parse(sales.unpack(sales.pack(
            { "518", "", unpack(GOOD, 3) }))).name)
    end)

    it("with a wrong field is refused, naming the field", function()
        local BAD = {
            product_id = { "0", "x", "", "01" },
            name = { ("n"):rep(201), "a\nb", "a\0b", "\255", "a\195" },
            price_cents = { "-1", "1.5", "", "1e3", ("9"):rep(15) },
            start_at_ms = { "nan", "", "0x10", "2000" },
            end_at_ms = { "1000", "inf", " 2000" },
            per_user_limit = { "", "-1", "one" },
            path = { "", "ON", "yes" },
            epoch = { "", "-1", "1.0" },
            sold_out = { "", "2", "true" },
        }
        for field, values in pairs(BAD) do
            for _, value in ipairs(values) do
                local sale, wrong = with(field, value)
                assert.is_nil(sale)
                assert.is_true(wrong == field or wrong == "end_at_ms")
            end
        end
        assert.is_nil((sales.parse {}))
        assert.is_nil((sales.parse { false, "WRONGTYPE" }))
    end)

    it("opens at its start and closes at its end", function()
        local sale = sales.parse(GOOD)
        local code, fields = sales.closed(sale, 999)
        assert.equal("NOT_STARTED", code)
        assert.equal(1, fields.wait_ms)
        assert.is_nil(sales.closed(sale, 1000))
        assert.is_nil(sales.closed(sale, 1999.9))
        assert.equal("ENDED", (sales.closed(sale, 2000)))
    end)

    it("tells times as ISO-8601 in UTC with milliseconds", function()
        assert.equal("1970-01-01T00:00:00.000Z", sales.iso(0))
        assert.equal("2001-09-09T01:46:40.007Z", sales.iso(1000000000007))
        assert.equal("2001-09-09T01:46:40.999Z", sales.iso(1000000000999.9))
    end)
end)

describe("a signed path", function()
    local KEYS = { ("n"):rep(40), ("o"):rep(40) }
    local NOW = 1700000000000

    local function sign(user, product, expiry, key)
        return expiry .. "-" .. crypto.hmac_hex(key or KEYS[1],
            ("path|%s|%s|%s"):format(user, product, expiry))
    end

    local function valid(path)
        return paths.valid(path, "alice", "518", KEYS, NOW)
    end

    it("holds for its user and product until its expiry", function()
        assert.is_true(valid(sign("alice", "518", NOW + 1)))
        assert.is_true(valid(sign("alice", "518", NOW + 1, KEYS[2])))
        assert.is_false(valid(sign("alice", "518", NOW)))
        assert.is_false(valid(sign("bob", "518", NOW + 1)))
        assert.is_false(valid(sign("alice", "519", NOW + 1)))
        assert.is_false(valid(sign("alice", "518", NOW + 1, ("x"):rep(40))))
    end)

    it("flipped, cut, padded or in another spelling does not", function()
        local good = sign("alice", "518", NOW + 1)
        for _, path in ipairs { "", "-", good:sub(1, -2), good .. "0",
                "0" .. good, good:upper(), " " .. good,
                (good:gsub("-", "--")), (good:gsub("^%d", "2")),
                good:sub(1, -2) .. (good:sub(-1) == "0" and "1" or "0"),
                ("9"):rep(400) .. "-" .. ("a"):rep(64) } do
            assert.is_false(valid(path))
        end
    end)
end)

describe("the key file", function()
    local A, B = ("a"):rep(32), ("b"):rep(32)

    it("holds keys by order and by id", function()
        local got = keys.parse("# now\nk2 " .. A .. "\n\nk1\t" .. B, "f")
        assert.same({ A, B, k2 = A, k1 = B }, got)
    end)

    it("with a fault stops the start and shows no secret", function()
        for _, text in ipairs { "", "# none", "k1", "k1 short",
                "k1 " .. A .. " more", "k1 " .. A .. "\nk1 " .. B,
                ("k"):rep(65) .. " " .. A, "k/1 " .. A } do
            local ok, why = pcall(keys.parse, text, "/keys")
            assert.is_false(ok)
            assert.matches("SECKILL_TOKEN_KEYS: /keys", why, 1, true)
            assert.is_nil(why:find("aaa", 1, true))
        end
    end)
end)
