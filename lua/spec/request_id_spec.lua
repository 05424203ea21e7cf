-- Every answer says which request it is of: the client's own id where it is
-- one, else one of the node's, and the service that is asked hears the same.

local edge = require "edge"

describe("the id of a request", function()
    local DEDUCT = "/seckill/flash/sale/deduct?productId="
    local OWN = "Shop_1.2-3"
    local MADE = "^" .. ("%x"):rep(8) .. "%-%d+%-%d+%-%d+%.%d%d%d$"

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("950")
        edge.sale("951", { sold_out = 1 })
        edge.redis("hset seckill:limits:product:952 qps 0")
        edge.sale("952")
    end)
    teardown(edge.stop)

    -- One way to each answer: of the edge, of a service, of nginx itself.
    local CALLS = {
        { 202, "POST", DEDUCT .. "950", "ann" },
        { 409, "POST", DEDUCT .. "950", "bought1" },
        { 409, "POST", DEDUCT .. "951", "ann" },
        { 503, "POST", DEDUCT .. "952", "ann" },
        { 503, "POST", DEDUCT .. "950", "broken" },
        { 401, "POST", DEDUCT .. "950" },
        { 405, "PUT", DEDUCT .. "950", "ann" },
        { 400, "POST", DEDUCT .. "x", "ann" },
        { 200, "GET", "/seckill/flash/sale/result?productId=950", "ann" },
        { 401, "GET", "/seckill/flash/sale/result?productId=950" },
        { 200, "GET", "/seckill/orders", "ann" },
        { 404, "GET", "/seckill/orders/1", "ann" },
        { 200, "GET", "/seckill/sales" },
        { 200, "GET", "/" },
        { 200, "GET", "/shop.js" },
        { 404, "GET", "/nothing" },
        { 413, "GET", "/" .. ("x"):rep(9000) },
    }

    local function id_of(call, headers)
        local status, got = edge.http(call[2], call[3],
            { user = call[4], headers = headers })
        assert.equal(call[1], status, call[3]:sub(1, 60))
        return got["x-request-id"]
    end

    it("is in every answer, another one each time", function()
        local seen = {}
        for _, call in ipairs(CALLS) do
            local id = id_of(call)
            assert.matches(MADE, id, 1, false, call[3]:sub(1, 60))
            assert.is_nil(seen[id])
            seen[id] = true
        end
    end)

    it("is the client's where it has one", function()
        for i, call in ipairs(CALLS) do
            if i < #CALLS then  -- nginx reads no header after such a line
                assert.equal(OWN, id_of(call, { "X-Request-Id: " .. OWN }),
                    call[3])
            end
        end
    end)

    it("is not the client's where that is none", function()
        for _, bad in ipairs { "short12", ("x"):rep(65), "with space",
                "semi;colon", "a\"quoted\"one", "tab\there9", "umlaut\xc3\xa4",
                "<script>x", "${jndi:ldap}", "comma,comma" } do
            local id = id_of(CALLS[3], { "X-Request-Id: " .. bad })
            assert.matches(MADE, id)
        end
        for _, good in ipairs { "8letters", ("x"):rep(64) } do
            assert.equal(good, id_of(CALLS[3], { "X-Request-Id: " .. good }))
        end
    end)

    it("is told to the service that is asked", function()
        for _, headers in ipairs { {}, { "X-Request-Id: " .. OWN } } do
            local _, got, body = edge.http("GET", "/seckill/orders",
                { user = "echo", headers = headers })
            assert.equal(got["x-request-id"], body.headers["x-request-id"])
        end
    end)
end)
