-- Rates let exactly their limit pass in a second and refuse the next one: those
-- of users in a second of the clock, those of node and products in any span of
-- a second. Nobody charges them whom another question refused.

local edge = require "edge"

describe("a rate", function()
    local DEDUCT = "/seckill/flash/sale/deduct?productId="
    local RESULT = "/seckill/flash/sale/result?productId=621"
    local SN = "/seckill/orders/123456789012345678901234"

    setup(function()
        edge.start()
        edge.start_redis()
        for _, product in ipairs { "621", "622", "624" } do
            edge.redis("hset seckill:limits:product:%s qps 30", product)
        end
        edge.sale("621", {}, 100000)
        edge.sale("622", { path = "on" })
        edge.sale("623", {}, 100000)
        edge.sale("624", { sold_out = 1 })
    end)
    teardown(edge.stop)

    -- What work() returns, done within one second of the clock: from that
    -- fraction of it on, or at once (nil) when half of it is left. A machine
    -- that stalls over the border gets two more chances; before(TRY) makes
    -- things ready for each.
    local function in_one_second(from, work, before)
        for try = 1, 3 do
            if before then
                before(try)
            end
            edge.sleep(1.05)  -- what others charged has gone
            if from or edge.now() % 1 > 0.5 then
                edge.sleep_until(from or 0)
            end
            local second = math.floor(edge.now())
            local result = { work() }
            if math.floor(edge.now()) == second then
                return unpack(result)
            end
        end
        error("the machine is too slow: three times over the border")
    end

    local function set_global(value)
        edge.redis("hset seckill:limits edge.global_qps %s", value)
        edge.sleep(0.6)
    end

    local holder = edge.stranger()
    local user = edge.stranger()
    -- slides: it is one of any span of a second, and not of the clock's.
    local RATES = {
        { name = "of a product's attempts", limit = 30, passes = 202,
            slides = true,
            call = function()
                return { "POST", DEDUCT .. 621, edge.stranger() }
            end },
        { name = "of a product's calls for a path", limit = 30, passes = 200,
            slides = true,
            call = function()
                return { "POST", "/seckill/flash/sale/path?productId=622",
                    edge.stranger() }
            end },
        { name = "of one user's polls", limit = 20, passes = 200,
            call = function() return { "GET", RESULT, user } end },
        { name = "of one user's orders, calls of every kind together",
            limit = 20, passes = 200,
            call = function(i)
                return i % 2 == 0 and { "GET", "/seckill/orders", user .. "x" }
                    or { "POST", SN .. "/pay", user .. "x" }
            end },
        { name = "of attempts of who may hold a unit", limit = 20,
            passes = 202,
            before = function() edge.buy("623", holder) end,
            call = function() return { "POST", DEDUCT .. 623, holder } end },
        { name = "of a node's attempts, products together", limit = 10,
            passes = 202, slides = true,
            before = function() set_global(10) end,
            call = function(i)
                return { "POST", DEDUCT .. (i % 2 == 0 and 621 or 623),
                    edge.stranger() }
            end,
            after = function() set_global(100000) end },
    }

    local function prepare(rate, name)
        local requests = {}
        for i = 1, rate.limit + 2 do
            requests[i] = rate.call(i)
        end
        edge.prepare_run(requests, name)
    end

    -- The statuses that so many and two more requests are to get.
    local function expected(rate, limit)
        local statuses = {}
        for i = 1, rate.limit + 2 do
            statuses[i] = i <= limit and rate.passes or 429
        end
        return statuses
    end

    local function statuses(name)
        local list = {}
        for i, answer in ipairs(edge.run(name, 1)) do
            list[i] = answer.status
        end
        return list
    end

    -- What two crowds are told, one before a border of seconds, one after it,
    -- within one second from the first to the last.
    local function across_a_border()
        for _ = 1, 3 do
            edge.sleep(1.05)
            edge.sleep_until(0.5)
            local began_at, early = edge.now(), statuses "early"
            local is_early = math.floor(edge.now()) == math.floor(began_at)
            edge.sleep_until(0)
            local late = statuses "late"
            if is_early and edge.now() - began_at < 1 then
                return early, late
            end
        end
        error("the machine is too slow: three times more than a second")
    end

    for _, rate in ipairs(RATES) do
        it(rate.name .. " passes exactly its limit, and after a border "
            .. (rate.slides and "of seconds no more" or "as many again"),
            function()
                if rate.before then
                    rate.before()
                end
                prepare(rate, "early")
                prepare(rate, "late")
                local early, late = across_a_border()
                local again
                if rate.slides then
                    edge.sleep(1.05)
                    again = statuses "late"
                end
                if rate.after then
                    rate.after()
                end
                assert.same(expected(rate, rate.limit), early)
                assert.same(expected(rate, rate.slides and 0 or rate.limit),
                    late)
                if rate.slides then
                    assert.same(expected(rate, rate.limit), again)
                end
            end)
    end

    it("of one user is another user's in nothing", function()
        in_one_second(nil, function()
            local requests = {}
            for i = 1, 40 do
                requests[i] = { "GET", RESULT, i <= 22 and "ann" or "ben" }
            end
            assert.same({ [200] = 38, [429] = 2 }, edge.flood(requests, 1))
        end)
    end)

    describe("of the node is not charged", function()
        local REFUSED = {
            { "a product that is closed", 503, function()
                edge.redis("hset seckill:limits:product:625 qps 0")
                edge.sale("625")
                return edge.attempts("625", 20)
            end },
            { "a quota that is used up", 429, function()
                edge.sale("626", {}, 0)
                return edge.attempts("626", 20)
            end },
            { "a quota that cannot be read", 503, function()
                edge.sale("627")
                edge.redis("hset seckill:quota:627 total many")
                return edge.attempts("627", 20)
            end },
            { "sold out", 409, function()
                return edge.attempts("624", 20)
            end },
            { "a missing path", 403, function()
                return edge.attempts("622", 20)
            end },
            { "an unknown product", 404, function()
                return edge.attempts("999", 20)
            end },
            { "a bad parameter", 400, function()
                return edge.attempts("621&quantity=2", 20)
            end },
        }
        setup(function() set_global(5) end)
        teardown(function() set_global(100000) end)

        for _, row in ipairs(REFUSED) do
            it("by " .. row[1], function()
                local requests = row[3]()
                for _, request in ipairs(edge.attempts("623", 7)) do
                    requests[#requests + 1] = request
                end
                edge.prepare_run(requests, "charge")
                local count = in_one_second(0, function()
                    return edge.tally(edge.run("charge", 1))
                end)
                local want = { [202] = 5, [429] = 2 }
                want[row[2]] = (want[row[2]] or 0) + 20
                assert.same(want, count)
            end)
        end

        it("by an attempt of the same user in flight", function()
            local requests = edge.attempts("623", 1)
            requests[1][3] = "slow1"
            edge.prepare_run(requests, "first")
            local again = {}
            for i = 1, 20 do
                again[i] = { "POST", DEDUCT .. 623, "slow1" }
            end
            for _, request in ipairs(edge.attempts("623", 6)) do
                again[#again + 1] = request
            end
            edge.prepare_run(again, "again")
            local want = {}
            for i = 1, 26 do
                want[i] = i > 20 and i <= 24 and 202 or 429
            end
            assert.same(want, in_one_second(0, function()
                edge.sh("curl -s -K '%s/first' >/dev/null & sleep 0.1",
                    edge.dir)
                return statuses "again"
            end))
        end)
    end)

    it("of a product is not charged by a quota that is used up", function()
        local product
        local function before(try)
            product = "628" .. try
            edge.redis("hset seckill:limits:product:%s qps 3", product)
            edge.sale(product, {}, 0)
            edge.prepare_run(edge.attempts(product, 30), "empty")
            edge.prepare_run(edge.attempts(product, 5), "filled")
        end
        assert.same({ 202, 202, 202, 429, 429 }, in_one_second(nil, function()
            edge.run("empty", 1)
            edge.redis("hset seckill:quota:%s total 100", product)
            edge.sleep(0.12)
            return statuses "filled"
        end, before))
    end)

    it("of calls for a path is not that of attempts", function()
        edge.redis("hset seckill:limits:product:629 qps 2")
        edge.sale("629", { path = "on" })
        local soon = edge.now_ms() + 60000
        local requests = {}
        for i = 1, 6 do
            local name = edge.stranger()
            requests[i] = i <= 3
                and { "POST", "/seckill/flash/sale/path?productId=629", name }
                or { "POST", "/seckill/flash/sale/" .. edge.sign_path(name,
                    "629", soon) .. "/deduct?productId=629", name }
        end
        edge.prepare_run(requests, "both")
        assert.same({ 200, 200, 429, 202, 202, 429 },
            in_one_second(nil, function() return statuses "both" end))
    end)
end)
