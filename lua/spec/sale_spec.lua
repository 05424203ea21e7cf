-- Rules that need no nginx: sales and signed paths.

local bounds = require "bounds"
local crypto = require "seckill.request.crypto"
local paths = require "seckill.request.path"
local sales = require "seckill.sale.sale"

describe("a sale", function()
    local GOOD = { "518", "Phöne", "9900", "1000", "2000", "1", "off",
        "0:1:OPEN 2:3:RECOVERING", "0", "0" }

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
            path = false, epochs = "0:1,2:3@0", sold_out = false,
            synthetic = false }, sale)
    end)

    it("with a wrong field is refused, naming the field", function()
        local BAD = {
            product_id = { "0", "x", "", "01" },
            name = { "", ("n"):rep(201), "a\nb", "a\0b", "\255", "a\195" },
            price_cents = { "-1", "1.5", "", "1e3", ("9"):rep(15) },
            start_at_ms = { "nan", "", "0x10", "2000" },
            end_at_ms = { "1000", "inf", " 2000" },
            per_user_limit = { "", "-1", "one" },
            path = { "", "ON", "yes" },
            placements = { "", " ", "0:1", "0:1:OPEN ", "0:0:OPEN", "00:1:OPEN",
                "0:1:open", "0:1:OPEN 0:2:OPEN", "0:1:OPEN,1:1:OPEN" },
            sold_out = { "", "2", "true" },
            synthetic = { "", "2", "true" },
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

    it("has a name of well-formed UTF-8", function()
        for _, name in ipairs { "a", "\194\160", "\223\191", "\224\160\128",
                "\236\191\191", "\237\159\191", "\238\128\128",
                "\239\191\191", "\240\144\128\128", "\241\128\128\128",
                "\244\143\191\191" } do
            assert.equal(name .. "z", with("name", name .. "z").name)
        end
        for _, name in ipairs { "\128", "\191", "\192\175", "\193\191",
                "\195", "\195z", "\224\128\128", "\224\159\191",
                "\225\128", "\237\160\128", "\237\191\191",
                "\240\128\128\128", "\240\143\191\191",
                "\241\128\128", "\244\144\128\128", "\244\191\191\191",
                "\245\128\128\128", "\255", "\195\169\169" } do
            local sale, wrong = with("name", name)
            assert.is_nil(sale)
            assert.equal("name", wrong)
        end
    end)

    it("is taken up to the bounds of the table", function()
        for field, most in pairs { price_cents = bounds.price_cents,
                per_user_limit = bounds.per_user_limit_units } do
            assert.is_table((with(field, ("%d"):format(most))), field)
            assert.is_nil((with(field, ("%d"):format(most + 1))), field)
        end
        assert.is_table((with("name", ("n"):rep(bounds.name_bytes))))
        assert.is_nil((with("name", ("n"):rep(bounds.name_bytes + 1))))
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
