-- A refusal by a limiter says which one it was: the RateLimit fields of
-- draft-ietf-httpapi-ratelimit-headers. No other answer has them.

local edge = require "edge"

describe("the RateLimit fields", function()
    local DEDUCT = "/seckill/flash/sale/deduct?productId="
    local PATH = "/seckill/flash/sale/path?productId="
    local RESULT = "/seckill/flash/sale/result?productId="

    setup(function()
        edge.start()
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        edge.redis("hset seckill:limits:product:961 qps 3")
        edge.redis("hset seckill:limits:product:964 qps 0")
        edge.redis("hset seckill:limits:product:966 qps 2")
        edge.sale("960", {}, 100000)
        edge.sale("961", {}, 100000)
        edge.sale("962", {}, 0)
        edge.sale("963", { sold_out = 1 })
        edge.sale("964")
        edge.sale("965")
        edge.sale("966", { path = "on" })
        edge.redis("hset seckill:quota:965 total nan")
    end)
    teardown(edge.stop)

    -- The fields of the first answer with a status, of some tries.
    local function first(wanted, method, path, user)
        for i = 1, 60 do
            local status, headers = edge.http(method, path,
                { user = user or "fields" .. i .. "x" })
            if status == wanted then
                return headers["ratelimit"], headers["ratelimit-policy"]
            end
        end
        error("never " .. wanted .. " at " .. path)
    end

    it("name the product's rate, and its limit as it is now", function()
        local left, policy = first(429, "POST", DEDUCT .. "961")
        assert.equal('"product";r=0;t=1', left)
        assert.equal('"product";q=3;w=1', policy)
        edge.redis("hset seckill:limits:product:961 qps 2")
        assert.is_true(edge.within(3, function()
            local _, now = first(429, "POST", DEDUCT .. "961")
            return now == '"product";q=2;w=1'
        end))
    end)

    it("name the node's rate", function()
        edge.redis("hset seckill:limits edge.global_qps 2")
        edge.sleep(0.6)
        local left, policy = first(429, "POST", DEDUCT .. "960")
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        assert.equal('"node";r=0;t=1', left)
        assert.equal('"node";q=2;w=1', policy)
        edge.sleep(0.6)
    end)

    it("name a user's calls, at each route", function()
        for _, call in ipairs { { "GET", RESULT .. "960" },
                { "GET", "/seckill/orders" } } do
            local requests = {}
            for i = 1, 30 do
                requests[i] = { call[1], call[2], "caller" }
            end
            edge.prepare_run(requests, "calls")
            local left, policy
            assert.is_true(edge.within(5, function()
                edge.sleep_until(0)
                edge.run("calls", 1)
                local status, headers = edge.http(call[1], call[2],
                    { user = "caller" })
                left, policy = headers["ratelimit"],
                    headers["ratelimit-policy"]
                return status == 429
            end))
            assert.equal('"user";r=0;t=1', left)
            assert.equal('"user";q=20;w=1', policy)
        end
    end)

    it("name the rate of paths", function()
        local left, policy = first(429, "POST", PATH .. "966")
        assert.equal('"product";r=0;t=1', left)
        assert.equal('"product";q=2;w=1', policy)
    end)

    it("name an attempt in flight", function()
        edge.sh("curl -s -o /dev/null -X POST -H 'Authorization: Bearer %s'"
            .. " '%s%s960' >/dev/null 2>&1 &", edge.token("slow1"),
            edge.url, DEDUCT)
        edge.sleep(0.2)
        local status, headers = edge.http("POST", DEDUCT .. "960",
            { user = "slow1" })
        assert.equal(429, status)
        assert.equal('"in-flight";r=0', headers["ratelimit"])
        assert.equal('"in-flight";q=1;qu="concurrent-requests"',
            headers["ratelimit-policy"])
    end)

    it("name the quota, and not how much of it there is", function()
        for _ = 1, 3 do  -- waits for a lease first, then is foreseen
            local left, policy = first(429, "POST", DEDUCT .. "962")
            assert.equal('"quota";r=0', left)
            assert.is_nil(policy)
        end
    end)

    it("are in no answer that no limiter decided", function()
        for _, call in ipairs { { 202, "960" }, { 409, "963" },
                { 503, "964" }, { 503, "965" }, { 404, "999" },
                { 403, "966" }, { 400, "x" } } do
            local left, policy = first(call[1], "POST", DEDUCT .. call[2])
            assert.is_nil(left, call[2])
            assert.is_nil(policy, call[2])
        end
        for _, path in ipairs { RESULT .. "960", "/seckill/orders",
                "/seckill/sales" } do
            assert.is_nil((first(200, "GET", path)))
        end
    end)
end)
