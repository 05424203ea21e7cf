-- The examples of contracts/examples/redis-endpoint, as Java reads them.

local cjson = require "cjson"
local endpoints = require "seckill.config.redis_endpoint"

describe("a Redis endpoint", function()
    local FOLDER = "contracts/examples/redis-endpoint/"

    -- Each example of a folder; an empty one fails.
    local function each(folder, check)
        local count = 0
        local list = io.popen("ls " .. FOLDER .. folder .. "/*.json")
        for path in list:lines() do
            local file = assert(io.open(path, "rb"))
            check(path, cjson.decode(file:read("*a")))
            file:close()
            count = count + 1
        end
        list:close()
        assert.is_true(count > 0)
    end

    local function text_or_nil(value)
        return value ~= cjson.null and value or nil
    end

    it("that is valid is taken", function()
        each("valid", function(path, example)
            assert.same({
                host = example.host,
                port = example.port,
                user = text_or_nil(example.user),
                password = text_or_nil(example.password),
                tls = example.tls,
            }, endpoints.parse(example.uri), path)
        end)
    end)

    it("that is invalid is refused", function()
        each("invalid", function(path, example)
            assert.is_nil(endpoints.parse(example.uri), path)
        end)
    end)
end)
