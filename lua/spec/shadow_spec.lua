-- A limiter in shadow mode refuses nobody and counts whom it would have.

local balance = require "balance"
local edge = require "edge"

describe("a limiter in shadow mode", function()
    setup(function()
        edge.start()
        edge.start_redis()
        for _, product in ipairs { "1301", "1302", "1303", "1304" } do
            edge.sale(product, {}, 100000)
        end
        edge.redis("hset seckill:limits:product:1302 qps 2")
        edge.redis("hset seckill:limits:product:1304 qps 0")
        edge.sale("1305", {}, 3)
    end)
    teardown(edge.stop)

    local function set(limit, value)
        edge.redis("hset seckill:limits %s %s", limit, value)
        edge.sleep(0.6)
    end

    local function shadowed(name)
        return balance.read()[("seckill_shadowed_total{limiter=%q}")
            :format(name)] or 0
    end

    local caller = edge.stranger()
    local function calls()
        local requests = {}
        for i = 1, 60 do
            requests[i] = { "GET",
                "/seckill/flash/sale/result?productId=1301", caller }
        end
        return requests
    end

    -- Two attempts of a user; the first waits for its answer meanwhile.
    local function attempts_of_one()
        local who = "slow" .. edge.stranger()
        local request = { "POST",
            "/seckill/flash/sale/deduct?productId=1303", who }
        return { request, request }
    end

    for _, limiter in ipairs {
        { "node", function() return edge.attempts("1301", 60) end },
        { "product", function() return edge.attempts("1302", 60) end },
        { "quota", function() return edge.attempts("1305", 60) end },
        { "address", function() return edge.attempts("1301", 60) end },
        { "calls", calls, 200 },
        { "in_flight", attempts_of_one },
    } do
        local name, requests, passes = limiter[1], limiter[2], limiter[3]
        it("counts and refuses nobody: " .. name, function()
            local function refused()
                return edge.flood(requests(), 2)[429] or 0
            end
            edge.redis("hset seckill:limits edge.address_qps %d",
                name == "address" and 2 or 100000)
            set("edge.global_qps", name == "node" and 2 or 100000)
            assert.is_true(refused() > 0)
            assert.equal(0, shadowed(name))
            set("edge.shadow_" .. name, 1)
            local all = requests()
            assert.same({ [passes or 202] = #all }, edge.flood(all, 2))
            local counted = shadowed(name)
            assert.is_true(counted > 0)
            set("edge.shadow_" .. name, 0)
            assert.is_true(refused() > 0)
            assert.equal(counted, shadowed(name))
        end)
    end

    it("keeps closed what is closed", function()
        set("edge.shadow_product", 1)
        assert.equal(503, (edge.buy("1304", edge.stranger())))
    end)

    it("leaves each attempt and token counted once", function()
        assert.equal("", balance.unbalanced())
    end)
end)
