-- What nginx.conf.template says of its dicts: each has room for all that there
-- may be of what it holds, with names as long as they may be. Runs inside
-- nginx, with dicts as large as the edge's.

local cases = {}

local function case(name, run)
    cases[#cases + 1] = { name, run }
end

local redis_keys = require "seckill.config.redis_keys"

local PRODUCTS = require("seckill.config.bounds").products
local FIRST_PRODUCT = 10 ^ 14  -- 18 digits, with the three behind it
local USERS_IN_1_MB = 8095
local MARK, NUMBER, TEXT = true, 123456789, "1700000000.123 1000000"

-- A product of 18 digits.
local function product(i)
    return ("%.0f000"):format(FIRST_PRODUCT + i)
end

-- How many of these entries a dict takes, of so many: name(i) of the i-th.
local function taken(dict, count, name, value)
    for i = 1, count do
        local ok, err = dict:safe_add(name(i), value)
        if not ok then
            assert(err == "no memory", err)
            return i - 1
        end
    end
    return count
end

-- So many entries of each product, or of whatever else is counted, with these
-- beginnings and endings.
local function holds(name, count, rows)
    local dict = ngx.shared["seckill_" .. name]
    dict:flush_all()
    dict:flush_expired()
    for _, row in ipairs(rows) do
        local got = taken(dict, count, function(i)
            return row[1] .. product(i) .. row[2]
        end, row[3])
        assert(got == count, ("seckill_%s holds %d of %d %s...%s"):format(name,
            got, count, row[1], row[2]:sub(1, 9)))
    end
end

-- The 64 places of a sale, each with this ending.
local function places(ending)
    return ("63:123456789" .. ending):rep(64)
end

case("10,000 products with sales of 64 places, limits and their list",
    function()
        holds("config", PRODUCTS, { { "sale:", "",
            places ":RECOVERING " .. ("n"):rep(300) },
            { "limit:", ".qps", NUMBER } })
        assert(ngx.shared.seckill_config:safe_set("products",
            ("9"):rep(19 * PRODUCTS)))
    end)

case("10,000 products of which each sale and limit is bad, or gone", function()
    holds("state", PRODUCTS, {
        { "bad:" .. redis_keys.SALE, "", ("x"):rep(64) },
        { "bad:", ".qps", ("x"):rep(64) }, { "gone:", "", NUMBER } })
end)

case("10,000 products by whose attempts are counted", function()
    holds("tops", PRODUCTS, { { "refused:", "", NUMBER },
        { "passed:", "", NUMBER } })
end)

case("10,000 products with leases", function()
    holds("leases", PRODUCTS, { { "tokens:", ":1700000000000", NUMBER },
        { "epoch:", "", "1700000000000" }, { "last:", "", TEXT },
        { "trouble:", "", "timeout" }, { "pause:", "", "rejected" },
        { "leasing:", "", MARK } })
end)

case("10,000 flags of sales of 64 places", function()
    holds("sold_out", PRODUCTS, { { "", ":" .. places ",", MARK } })
end)

case("two seconds of 97,000 attempts each in a slot of its own", function()
    holds("rates", 2 * 97000, { { "deduct:", ":123456789012", NUMBER } })
end)

case("a user of 35 characters in 128 bytes, and of 36 in 256", function()
    local function users_of(length)
        local dict = ngx.shared.roomy
        dict:flush_all()
        dict:flush_expired()
        return taken(dict, 2 * USERS_IN_1_MB, function(i)
            return "calls:" .. ("%0" .. length .. "d"):format(i)
                .. ":1700000000"
        end, NUMBER)
    end
    local short, long = users_of(35), users_of(36)
    assert(short >= USERS_IN_1_MB, short .. " of 35")
    assert(long >= 4000 and long < USERS_IN_1_MB, long .. " of 36")
end)

return cases
