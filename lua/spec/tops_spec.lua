-- Which products attempts are for: at most ten are named, the others are one,
-- and with it the rows add up to the counters of all.

local balance = require "balance"
local edge = require "edge"

describe("the metrics by product", function()
    local PRODUCTS = {}
    for product = 601, 612 do
        PRODUCTS[#PRODUCTS + 1] = tostring(product)
    end

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sales(PRODUCTS)
        edge.sale("518", {}, 100000)
        edge.sale("519", { sold_out = 1 })
    end)
    teardown(edge.stop)

    local function of(series, name, product)
        return series[("seckill_%s{product=\"%s\"}"):format(name, product)]
    end

    -- What is counted once workers have told it, as of is_told(series).
    local function read_when(is_told)
        local series, sums
        assert.is_true(edge.within(3, function()
            series, sums = balance.read()
            return is_told(series)
        end))
        return series, sums
    end

    local function assert_sums(sums)
        assert.equal(sums.seckill_refused_total
            + sums.seckill_held_back_total, sums.seckill_top_refused)
        assert.equal(sums.seckill_passed_total, sums.seckill_top_passed)
    end

    it("tell how many of a product's attempts were refused and passed",
        function()
            edge.flood(edge.attempts("519", 300), 8)
            local passed = edge.flood(edge.attempts("518", 40), 8)[202]
            local series, sums = read_when(function(now)
                return of(now, "top_refused", "519") == 300
                    and of(now, "top_passed", "518") == passed
            end)
            assert.equal(0, of(series, "top_passed", "519"))
            assert.equal(40 - passed, of(series, "top_refused", "518"))
            assert_sums(sums)
        end)

    it("name no product that is no sale, and sum it up", function()
        local before = balance.read()
        for product = 701, 750 do
            assert.equal(404, (edge.buy(tostring(product), "a")))
        end
        assert.equal(400, (edge.buy("x", "a")))
        edge.sleep(1.5)
        local series, sums = balance.read()
        assert.equal(51, of(series, "top_refused", "other")
            - of(before, "top_refused", "other"))
        assert.is_nil(of(series, "top_refused", "701"))
        assert_sums(sums)
    end)

    it("name ten products, those with most attempts", function()
        for i, product in ipairs(PRODUCTS) do
            edge.flood(edge.attempts(product, 2 * i), 4)
        end
        local series, sums = read_when(function(now)
            for i = 5, #PRODUCTS do
                if (of(now, "top_passed", PRODUCTS[i]) or 0)
                        + (of(now, "top_refused", PRODUCTS[i]) or 0)
                        ~= 2 * i then
                    return false
                end
            end
            return true
        end)
        local named = 0
        for key in pairs(series) do
            named = named + (key:find("^seckill_top_passed") and 1 or 0)
        end
        assert.equal(11, named)
        assert.is_nil(of(series, "top_passed", "604"))
        assert.is_number(of(series, "top_passed", "605"))
        assert_sums(sums)
    end)

    it("tell each of these products' leased tokens and their age", function()
        local series = balance.read()
        assert.is_true(of(series, "lease_tokens", "518") > 0)
        local age_ms = of(series, "lease_age_ms", "518")
        assert.is_true(age_ms >= 1500 and age_ms < 60000)
        assert.is_nil(of(series, "lease_tokens", "519"))
    end)

    it("tell how late each worker's timer is", function()
        local series = read_when(function(now)
            return now["seckill_timer_late_ms{worker=\"0\"}"]
                and now["seckill_timer_late_ms{worker=\"1\"}"]
        end)
        for worker = 0, 1 do
            local late_ms =
                series[("seckill_timer_late_ms{worker=\"%d\"}"):format(worker)]
            assert.is_true(late_ms >= 0 and late_ms < 2000)
        end
    end)

    it("lose nothing by a reload", function()
        edge.flood(edge.attempts("519", 50), 4)
        edge.sh("kill -HUP %d", edge.edge_pid)
        local _, sums = read_when(function(now)
            return of(now, "top_refused", "519") == 350
        end)
        assert_sums(sums)
    end)
end)
