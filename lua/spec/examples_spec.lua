-- Lua's readers take and refuse what contracts/examples/ says.

local examples = require "examples"
local limits = require "seckill.config.limits"
local params = require "seckill.request.params"
local paths = require "seckill.request.path"
local refusal = require "refusal"
local refusals = require "seckill.request.refusals"
local sales = require "seckill.sale.sale"
local token_keys = require "seckill.request.token_keys"
local tokens = require "seckill.request.token"
local cjson = require "cjson"

require "bounds"

describe("the key file of the examples", function()
    it("is read when it is valid, its first key first", function()
        examples.each("key-file/valid", "keys", function(name, text)
            local keys, fault = token_keys.parse(text)
            assert.is_table(keys, name .. ": " .. tostring(fault))
            assert.is_true(#keys >= 1 and #keys <= 8, name)
            local by_id = 0
            for id, secret in pairs(keys) do
                by_id = by_id + (type(id) == "string" and 1 or 0)
                assert.is_true(#secret >= 32, name)
            end
            assert.equal(#keys, by_id, name)
        end)
    end)

    it("is refused in the words beside it when it is invalid", function()
        examples.each("key-file/invalid", "keys", function(name, text)
            local keys, fault = token_keys.parse(text)
            assert.is_nil(keys, name)
            assert.equal(examples.text(name .. ".error"), fault .. "\n")
        end)
    end)

    it("is refused without a word of any secret", function()
        examples.each("key-file/invalid", "keys", function(name, text)
            local _, fault = token_keys.parse(text)
            for word in text:gmatch("%S+") do
                assert.is_true(#word < 16 or not fault:find(word, 1, true),
                    name)
            end
        end)
    end)
end)

describe("a token of the examples", function()
    local keys = assert(token_keys.parse(examples.text "token/token-keys"))

    it("names user and expiry when it is valid", function()
        examples.each_json("token/valid", function(name, it)
            local user, expires = tokens.verify(it.token, keys, it.nowS)
            assert.equal(it.user, user, name)
            assert.equal(it.expS, expires, name)
        end)
    end)

    it("is refused when it is invalid", function()
        examples.each_json("token/invalid", function(name, it)
            assert.is_nil((tokens.verify(it.token, keys, it.nowS)), name)
        end)
    end)
end)

describe("a signed path of the examples", function()
    local keys = assert(token_keys.parse(examples.text "token/token-keys"))

    local function verify(it)
        return paths.valid(it.path, it.user, it.product, keys, it.nowMs)
    end

    it("is verified when it is valid", function()
        examples.each_json("path/valid", function(name, it)
            assert.is_true(verify(it), name)
        end)
    end)

    it("is refused when it is invalid", function()
        examples.each_json("path/invalid", function(name, it)
            assert.is_false(verify(it), name)
        end)
    end)
end)

describe("a sale of the examples", function()
    -- As the control Redis answers HMGET: false where a field is missing.
    local function values_of(hash)
        local values = {}
        for i, field in ipairs(sales.FIELDS) do
            values[i] = hash[field] or false
        end
        return values
    end

    it("is taken when it is valid, after the shared dict too", function()
        examples.each_json("sale/valid", function(name, hash)
            local values = values_of(hash)
            local sale, wrong = sales.parse(values)
            assert.is_table(sale, name .. ": " .. tostring(wrong))
            assert.equal(hash.product_id, sale.product)
            assert.equal(hash.name, sale.name)
            assert.equal(hash.price_cents, ("%d"):format(sale.price_cents))
            assert.equal(hash.start_at_ms, ("%d"):format(sale.start_at_ms))
            assert.equal(hash.end_at_ms, ("%d"):format(sale.end_at_ms))
            assert.equal(hash.per_user_limit,
                ("%d"):format(sale.per_user_limit))
            assert.equal(hash.path == "on", sale.path)
            assert.equal(hash.sold_out == "1", sale.sold_out)
            assert.equal(hash.synthetic == "1", sale.synthetic)
            assert.same(sale, sales.parse(sales.unpack(sales.pack(values))))
        end)
    end)

    it("is refused, naming the field, when one the edge reads is wrong",
        function()
            local reads, seen = {}, {}
            for _, field in ipairs(sales.FIELDS) do
                reads[field] = true
            end
            examples.each_json("sale/invalid", function(name, hash)
                local field = name:match("/([%w_]+)%-[^/]*$")
                if reads[field] then
                    seen[field] = true
                    local sale, wrong = sales.parse(values_of(hash))
                    assert.is_nil(sale, name)
                    assert.equal(field, wrong, name)
                end
            end)
            for _, field in ipairs { "product_id", "name", "price_cents",
                    "end_at_ms", "per_user_limit", "path", "sold_out",
                    "synthetic" } do
                assert.is_true(seen[field], field)
            end
        end)
end)

describe("a limit of the examples", function()
    local file = assert(io.open("contracts/limits.json"))
    local rows = limits.table_of(cjson.decode(file:read("*a")))
    file:close()

    it("is the number that is written when it is valid", function()
        examples.each_json("limit/valid", function(name, it)
            assert.equal(it.value,
                ("%d"):format(limits.read(rows[it.key], it.value)), name)
        end)
    end)

    it("is refused when it is invalid", function()
        examples.each_json("limit/invalid", function(name, it)
            assert.is_nil(limits.read(rows[it.key], it.value), name)
        end)
    end)
end)

describe("a refusal of the examples", function()
    local function objection(it)
        local headers = {}
        for name, value in pairs(it.headers) do
            headers[name:lower()] = value
        end
        return refusal.objection(it.status, headers, it.body)
    end

    it("is one when it is valid", function()
        examples.each_json("refusal/valid", function(name, it)
            assert.is_nil(objection(it), name)
        end)
    end)

    it("is none when it is invalid", function()
        examples.each_json("refusal/invalid", function(name, it)
            assert.is_string(objection(it), name)
        end)
    end)

    it("is what the edge writes for every code and jitter", function()
        local table_of = refusals.table_of
        local rows = {}
        for _, row in pairs(refusal.rows) do
            rows[#rows + 1] = row
        end
        for code, row in pairs(table_of(rows)) do
            for _, random in ipairs { 0, 0.5, 0.999 } do
                local body, retry_after = refusals.answer(row, random)
                assert.is_nil(refusal.objection(row.status, {
                    ["content-type"] = "application/problem+json",
                    ["retry-after"] = retry_after,
                }, cjson.decode(body)), code)
            end
        end
    end)
end)

describe("a product id", function()
    it("is the same in a request and in a sale", function()
        examples.each_json("sale/valid", function(name, hash)
            assert.is_true(params.is_product(hash.product_id), name)
        end)
    end)
end)
