-- The examples of contracts/examples as a running edge meets them: it takes
-- what is valid and refuses what is not, over HTTP and through Redis.

local cjson = require "cjson"
local edge = require "edge"

local FOLDER = "contracts/examples/"

-- Every example of a kind: its name without ending, and what it holds.
local function examples(kind)
    local list = {}
    for path in edge.sh("ls %s%s/*.json", FOLDER, kind):gmatch("[^\n]+") do
        local file = assert(io.open(path, "rb"))
        list[#list + 1] = { name = path:match("([^/]+)%.json$"),
            value = cjson.decode(file:read("*a")) }
        file:close()
    end
    assert(#list > 0, kind .. " holds no example")
    return list
end

-- The examples but those named; a name that is not there is a mistake here.
local function but(list, names)
    local kept, found = {}, {}
    for _, example in ipairs(list) do
        if names[example.name] then
            found[example.name] = true
        else
            kept[#kept + 1] = example
        end
    end
    for name in pairs(names) do
        assert(found[name], "no example is called " .. name)
    end
    return kept
end

describe("the edge by example", function()
    setup(function()
        edge.start(nil, false, edge.sh("cat %stoken/token-keys", FOLDER))
        edge.start_redis()
    end)
    teardown(edge.stop)

    describe("takes a token", function()
        -- Valid in 2033, and the clock of this machine is not moved.
        local LATER = { ["valid-from-now"] = true }
        for _, example in ipairs(but(examples "token/valid", LATER)) do
            it("that is good: " .. example.name, function()
                local status, _, got = edge.http("GET", "/seckill/orders",
                    { headers = { "Authorization: Bearer "
                        .. example.value.token } })
                assert.equal(200, status)
                assert.equal(example.value.user,
                    got.headers["x-seckill-user"])
            end)
        end

        it("only when it is: every other one is told 401", function()
            -- Past in 2033, or trimmed off, or cut in two by HTTP.
            local NOT_HERE = { ["exp-now"] = true, ["exp-passed"] = true,
                ["blank-after"] = true, ["line-feed-after"] = true }
            edge.seen()
            for _, example in ipairs(but(examples "token/invalid",
                    NOT_HERE)) do
                local status, _, body = edge.http("GET", "/seckill/orders",
                    { headers = { "Authorization: Bearer "
                        .. example.value.token } })
                assert.equal(401, status, example.name)
                assert.equal("UNAUTHENTICATED", body.code, example.name)
            end
            assert.equal(0, edge.seen())
        end)
    end)

    local function errors()
        return edge.status().configErrors
    end

    describe("in the control Redis takes", function()
        it("no limit that is bad, whichever it was written for", function()
            local products, commands = {}, {}
            for i, example in ipairs(examples "limit/invalid") do
                -- Bounds of other limits than a product's rate.
                if not example.name:match("^order%-")
                        and not example.name:match("^edge%-address%-")
                        and not example.name:match("^edge%-shadow%-")
                        and not example.name:match("^quota%-percent") then
                    local product = "58" .. 1000 + i
                    products[#products + 1] = product
                    commands[#commands + 1] = { "HSET",
                        "seckill:limits:product:" .. product, "qps",
                        example.value.value }
                end
            end
            local before = errors()
            edge.redis_all(commands)
            edge.sales(products)
            assert.is_true(edge.within(2, function()
                return errors() >= before + #products
            end))
            edge.sleep(0.6)
            assert.equal(before + #products, errors())
        end)

        for _, example in ipairs(examples "limit/valid") do
            local key, value = example.value.key, example.value.value
            if key == "qps" or key == "edge.global_qps" then
                it("a limit that is good: " .. example.name, function()
                    edge.sale("58900")
                    edge.redis("hset %s %s %s", key == "qps"
                        and "seckill:limits:product:58900"
                        or "seckill:limits", key, value)
                    local errors_before = errors()
                    assert.is_true(edge.within(1, function()
                        return edge.buy("58900", edge.stranger())
                            == (value == "0" and 503 or 202)
                    end))
                    edge.sleep(0.3)
                    assert.equal(errors_before, errors())
                    edge.redis("del seckill:limits")
                end)
            end
        end

        -- An example as a hash of a product of its own.
        local function hash(example, product)
            local words = { "HSET", "seckill:sale:" .. product }
            for field, value in pairs(example.value) do
                words[#words + 1] = field
                words[#words + 1] = field == "product_id"
                    and not example.name:match("^product_id") and product
                    or value
            end
            return words
        end

        it("every sale that is good, and tells its facts", function()
            local list, commands = examples "sale/valid", {}
            for i, example in ipairs(list) do
                example.product = example.name == "longest-product"
                    and example.value.product_id or "59" .. 100 + i
                commands[2 * i - 1] = hash(example, example.product)
                commands[2 * i] = { "SADD", "seckill:sales", example.product }
            end
            local before = errors()
            edge.redis_all(commands)
            edge.sleep(0.6)
            assert.equal(before, errors())
            for _, example in ipairs(list) do
                local want = example.value
                local status, _, got = edge.http("GET", "/seckill/sales/"
                    .. example.product)
                assert.equal(200, status, example.name)
                assert.equal(want.name, got.name)
                assert.equal(tonumber(want.price_cents), got.priceCents)
                assert.equal(tonumber(want.per_user_limit), got.perUserLimit)
                assert.equal(want.path, got.path)
                assert.equal(want.sold_out == "1", got.soldOut)
                assert.is_nil(got.placements)
            end
        end)

        it("no sale that is bad, and says which field is", function()
            local list, commands, count = {}, {}, 0
            for i, example in ipairs(examples "sale/invalid") do
                local field = example.name:match("^[%w_]+")
                -- Fields that the edge does not read.
                if field ~= "pay_within_s" and field ~= "stock_total" then
                    example.product, example.field = "59" .. 300 + i, field
                    list[#list + 1] = example
                    commands[#commands + 1] = hash(example, example.product)
                    commands[#commands + 1] =
                        { "SADD", "seckill:sales", example.product }
                    count = count + 1
                end
            end
            local before = errors()
            edge.redis_all(commands)
            edge.within(2, function()
                return errors() >= before + count
            end)
            edge.sleep(0.6)
            local log = edge.error_log()
            for _, example in ipairs(list) do
                assert.equal(404, (edge.http("GET", "/seckill/sales/"
                    .. example.product)), example.name)
                assert.is_truthy(log:find("seckill:sale:" .. example.product
                    .. ": not allowed: this ", 1, true), example.name)
            end
            assert.equal(before + count, errors())
        end)
    end)
end)
