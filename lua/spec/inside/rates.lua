-- What each algorithm of a rate keeps to, by a clock that the case sets: a
-- crowd that wants more than passes, on one worker and on several, whose clocks
-- are apart or the same. Runs inside nginx.

local BURST_S = 0.1
local RATES = { 0, 1, 7, 1000, 100000 }
local SKEWS_MS = { 1, 5, 20, 50 }
local SECONDS = 3

-- In a span of T seconds pass most(rate, T) at most, of a crowd least(rate, T)
-- at least.
local ALGORITHMS = {
    fixed_window = {
        -- A span of T seconds lies in so many windows.
        most = function(rate, span) return rate * (math.ceil(span) + 1) end,
        least = function(rate, span) return rate * span end,
    },
    sliding_window = {
        most = function(rate, span) return rate * math.ceil(span) end,
        least = function(rate, span)
            return rate * math.floor(span * 40 / 41)
        end,
    },
    token_bucket = {
        most = function(rate, span)
            return rate * span + math.max(1, math.floor(rate * BURST_S))
        end,
        least = function(rate, span) return rate * span - 1 end,
    },
    leaky_bucket = {
        most = function(rate, span) return rate * span + 1 end,
        least = function(rate, span) return rate * span - 1 end,
    },
}

local NAMES = { "fixed_window", "sliding_window", "token_bucket",
    "leaky_bucket" }

local function make(name, ...)
    return require("seckill.limit.algorithms")[name](...)
end

local cases = {}

local function case(name, run)
    cases[#cases + 1] = { name, function() run(require "luassert") end }
end

local function each(sentence, run)
    for _, name in ipairs(NAMES) do
        local rules = ALGORITHMS[name]
        case(name .. " " .. sentence, function(assert)
            ngx.shared.roomy:flush_all()
            ngx.shared.roomy:flush_expired()
            run(assert, name, rules)
        end)
    end
end

-- Workers as limiters on one dict, whose clocks are behind by up to so much.
local function workers_of(name, time, limit_of, count, skew_s)
    local list = {}
    for i = 1, count do
        local behind = count > 1 and skew_s * (i - 1) / (count - 1) or 0
        list[i] = make(name, ngx.shared.roomy, "w", limit_of, BURST_S,
            function() return time.s - behind end)
    end
    return list
end

-- When those passed that a crowd of twice the rate sent, each ms some, from
-- that second on for so long; by turns to each worker.
local function crowd(workers, time, rate, from_s, seconds)
    local passed, turn = {}, 0
    local per_ms = math.max(1, math.ceil(rate / 500))
    for ms = 0, seconds * 1000 - 1 do
        time.s = from_s + ms / 1000
        for _ = 1, per_ms do
            turn = turn % #workers + 1
            local delay = workers[turn]:incoming("a", true)
            if delay then
                passed[#passed + 1] = time.s + delay
            end
        end
    end
    return passed
end

-- The most that passed in any span of so many seconds.
local function densest(passed, span)
    local most, first = 0, 1
    for last = 1, #passed do
        while passed[last] - passed[first] >= span - 1e-6 do
            first = first + 1
        end
        most = math.max(most, last - first + 1)
    end
    return most
end

for _, rate in ipairs(RATES) do
    local function limit_of()
        return rate
    end

    for _, count in ipairs { 1, 2, 8 } do
        each(("passes %d a second on %d worker(s)"):format(rate, count),
            function(assert, name, rules)
                local time = { s = 100.5 }
                local workers = workers_of(name, time, limit_of, count, 0)
                local passed = crowd(workers, time, rate, 101, SECONDS)
                for _, span in ipairs { 0.01, 0.5, 1, 1.5, SECONDS } do
                    local most = densest(passed, span)
                    assert.is_true(rate == 0 and most == 0
                        or rate > 0 and most <= rules.most(rate, span),
                        most .. " in " .. span .. " s")
                end
                assert.is_true(#passed >= rules.least(rate, SECONDS),
                    #passed .. " in all")
            end)
    end

    for _, skew_ms in ipairs(SKEWS_MS) do
        local skew_s = skew_ms / 1000
        each(("passes %d a second with a clock skew of %d ms between workers")
            :format(rate, skew_ms), function(assert, name, rules)
            local time = { s = 100.5 }
            local workers = workers_of(name, time, limit_of, 4, skew_s)
            local passed = crowd(workers, time, rate, 101, SECONDS)
            for _, span in ipairs { 0.5, 1, SECONDS } do
                local most = densest(passed, span - skew_s)
                assert.is_true(rate == 0 and most == 0
                    or rate > 0 and most <= rules.most(rate, span),
                    most .. " in " .. span .. " s")
            end
            assert.is_true(#passed >= rules.least(rate, SECONDS - skew_s) - 1,
                #passed .. " in all")
        end)
    end
end

each("obeys a limit that is changed, within a second", function(assert, name,
        rules)
    local limit, time = 1, { s = 200 }
    local workers = workers_of(name, time, function() return limit end, 2, 0)
    crowd(workers, time, 1000, 200, 2)
    for i, rate in ipairs { 1000, 10, 0, 500 } do
        limit = rate
        local from = 200 + 4 * i
        crowd(workers, time, rate, from, 1)
        local passed = crowd(workers, time, rate, from + 1, 2)
        assert.is_true(#passed <= (rate == 0 and 0 or rules.most(rate, 2)),
            rate .. ": " .. #passed)
        assert.is_true(#passed >= rules.least(rate, 2) * 0.95 - 1,
            rate .. ": " .. #passed)
    end
end)

each("passes no more for those whom it refused", function(assert, name)
    local time = { s = 300 }
    local worker = workers_of(name, time, function() return 10 end, 1, 0)[1]
    local passed = #crowd({ worker }, time, 10000, 300, 2)
    assert.is_true(passed >= 19 and passed <= 30, passed .. " passed")
end)

each("passes again after a clock that was set back or ahead by an hour",
    function(assert, name, rules)
        local time = { s = 10000.5 }
        local workers = workers_of(name, time, function() return 100 end, 2, 0)
        crowd(workers, time, 100, 10001, 1)
        for _, from in ipairs { 13601, 6401, 10002 } do
            crowd(workers, time, 100, from, 1)
            local passed = crowd(workers, time, 100, from + 1, 1)
            assert.is_true(#passed >= rules.least(100, 1) * 0.9,
                from .. ": " .. #passed)
            assert.is_true(#passed <= rules.most(100, 1), #passed)
        end
    end)

-- The dict, on which others may run before each of its operations.
local function shared_by_many(dict, is_racing)
    local many = {}
    for _, name in ipairs { "get", "incr", "safe_add", "expire", "delete" } do
        many[name] = function(_, ...)
            if is_racing() then
                coroutine.yield()
            end
            return dict[name](dict, ...)
        end
    end
    return many
end

-- How many pass of two takes of each of eight workers, in the order that this
-- seed makes of their steps.
local function race(workers, seed)
    local running, passed = {}, 0
    for i, worker in ipairs(workers) do
        running[i] = coroutine.create(function()
            for _ = 1, 2 do
                local delay = worker:incoming("a", true)
                passed = passed + (delay and 1 or 0)
            end
        end)
    end
    math.randomseed(seed)
    while #running > 0 do
        local i = math.random(#running)
        assert(coroutine.resume(running[i]))
        if coroutine.status(running[i]) == "dead" then
            table.remove(running, i)
        end
    end
    return passed
end

local AT_ONCE = { fixed_window = 6, sliding_window = 6, token_bucket = 3,
    leaky_bucket = 4 }

each("passes no more when eight workers race, and what they left afterwards",
        function(assert, name)
    local is_racing
    local dict = shared_by_many(ngx.shared.roomy, function()
        return is_racing
    end)
    for seed = 1, 100 do
        ngx.shared.roomy:flush_all()
        local time, workers = { s = 600 }, {}
        for i = 1, 8 do
            workers[i] = make(name, dict, "w", function() return 6 end,
                0.5, function() return time.s end)
        end
        is_racing = false
        assert.is_truthy((workers[1]:incoming("a", true)))
        time.s = 602  -- it was not used for a moment
        is_racing = true
        local passed = race(workers, seed)
        is_racing = false
        assert.is_true(passed <= AT_ONCE[name], passed .. " at once")
        while workers[1]:incoming("a", true) do
            passed = passed + 1  -- whom others were in the way of
        end
        assert.equal(AT_ONCE[name], passed)
    end
end)

case("no rate but a fixed window's goes by the time of day",
    function(assert)
        for _, name in ipairs(NAMES) do
            local limiter = make(name, ngx.shared.roomy, name, function()
                return 5
            end, BURST_S)
            assert.equal(name == "fixed_window", limiter.clock == ngx.now)
        end
    end)

case("leaky_bucket lets who comes early wait, and no longer than it may",
    function(assert)
        local time = { s = 400 }
        local worker = workers_of("leaky_bucket", time, function()
            return 50
        end, 1, 0)[1]
        local delays = {}
        for i = 1, 8 do
            delays[i] = ("%.2f"):format(worker:incoming("a", true) or -1)
        end
        assert.same({ "0.00", "0.02", "0.04", "0.06", "0.08", "0.10", "-1.00",
            "-1.00" }, delays)
    end)

case("token_bucket saves a burst while nobody comes, and no more",
    function(assert)
        local time = { s = 500 }
        local workers = workers_of("token_bucket", time, function()
            return 100
        end, 2, 0)
        for _, idle in ipairs { 0.05, 0.5, 30 } do
            while workers[1]:incoming("a", true) do end
            time.s = time.s + idle
            local count = 0
            while workers[1 + count % 2]:incoming("a", true) do
                count = count + 1
            end
            assert.equal(math.min(10, idle * 100), count)
        end
    end)

return cases
