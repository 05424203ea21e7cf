-- What every limiter keeps to, and what each adds. Runs inside nginx.

local cases = {}

local function case(name, run)
    cases[#cases + 1] = { name, run }
end

local function kit()
    return require "support.limiters"
end

-- The same case for each of our limiters.
local function each(sentence, run)
    for _, name in ipairs { "in_flight", "lease", "fixed_window",
        "sliding_window", "token_bucket", "leaky_bucket", "resty_count",
        "resty_req" } do
        case(name .. " " .. sentence, function()
            local made = kit().all[name]
            run(made.make, made.limit, require "luassert")
        end)
    end
end

each("lets its limit pass and says rejected, never more", function(make, limit,
        assert)
    local limiter = make(ngx.shared.roomy)
    for _ = 1, limit do
        assert.is_truthy((limiter:incoming("a", true)))
    end
    for _ = 1, 3 do
        local delay, err = limiter:incoming("a", true)
        assert.is_nil(delay)
        assert.equal("rejected", err)
    end
end)

each("counts each key apart", function(make, limit, assert)
    local limiter = make(ngx.shared.roomy)
    for _, key in ipairs { "a", "b", "a:1", "*" } do
        for _ = 1, limit do
            assert.is_truthy((limiter:incoming(key, true)))
        end
        assert.is_nil((limiter:incoming(key, true)))
    end
end)

each("takes nothing without commit", function(make, limit, assert)
    local limiter = make(ngx.shared.roomy)
    for _ = 1, limit do
        for _ = 1, 5 do
            assert.is_truthy((limiter:incoming("a", false)))
        end
        assert.is_truthy((limiter:incoming("a", true)))
    end
    local delay, err = limiter:incoming("a", false)
    assert.is_nil(delay)
    assert.equal("rejected", err)
end)

each("passes one more for each given back", function(make, limit, assert)
    local limiter = make(ngx.shared.roomy)
    for _ = 1, 3 do
        local told
        for _ = 1, limit do
            _, told = limiter:incoming("a", true)
        end
        assert.is_nil((limiter:incoming("a", true)))
        limiter:uncommit("a", told)
        assert.is_truthy((limiter:incoming("a", true)))
        assert.is_nil((limiter:incoming("a", true)))
        for _ = 1, limit do  -- as combine() does: nobody tells what was told
            limiter:uncommit("a")
        end
    end
end)

each("is the same for every worker, since the dict holds all of it",
    function(make, limit, assert)
        local one, other = make(ngx.shared.roomy), make(ngx.shared.roomy)
        local passed = 0
        for _ = 1, limit do
            passed = passed + ((one:incoming("a", true)) and 1 or 0)
        end
        assert.equal(limit, passed)
        if limit == 1 then
            assert.is_nil((other:incoming("a", true)))
        end
        one:uncommit("a")
        assert.is_truthy((other:incoming("a", true)))
    end)

each("calls a full dict an error and pushes nothing out", function(make, _,
        assert)
    local dict = ngx.shared.tiny
    kit().fill(dict)
    local held = #dict:get_keys(0)
    local delay, err = make(dict):incoming("a", true)
    assert.is_nil(delay)
    assert.equal("no memory", err)
    assert.equal(held, #dict:get_keys(0))
end)

for _, name in ipairs { "lease", "fixed_window", "sliding_window",
    "token_bucket", "leaky_bucket", "resty_count", "resty_req" } do
    case(name .. " works on in a dict that has become full", function()
        local assert, dict = require "luassert", ngx.shared.tiny
        local limiter = kit().all[name].make(dict)
        assert.is_truthy((limiter:incoming("a", true)))
        kit().fill(dict)
        assert.is_truthy((limiter:incoming("a", true)))
        assert.equal("rejected", select(2, limiter:incoming("a", true)))
        assert.equal("no memory", select(2, limiter:incoming("b", true)))
        limiter:uncommit("a")
        assert.is_truthy((limiter:incoming("a", true)))
    end)
end

each("stands in resty.limit.traffic's combine()", function(make, limit,
        assert)
    local traffic = kit().theirs "resty.limit.traffic"
    local ours, other = make(ngx.shared.roomy), kit().tiny(limit + 1)
    for _ = 1, limit do
        assert.is_truthy(traffic.combine({ other, ours }, { "x", "a" }))
    end
    local delay, err = traffic.combine({ other, ours }, { "x", "a" })
    assert.is_nil(delay)
    assert.equal("rejected", err)
    assert.equal(limit, other.taken.x)
    ours:uncommit("a")
    assert.is_truthy(traffic.combine({ ours, other }, { "a", "x" }))
    ours:uncommit("a")
    assert.is_nil((traffic.combine({ ours, other }, { "a", "x" })))
    assert.is_truthy((ours:incoming("a", true)))
end)

local function fixed_window(dict, limit_of, clock)
    return require("seckill.limit.fixed_window").new(dict, "w", limit_of, clock)
end

case("fixed_window begins anew with each second", function()
    local assert = require "luassert"
    local now = 100.999
    local limiter = fixed_window(ngx.shared.roomy,
        function() return 1 end, function() return now end)
    local _, first = limiter:incoming("a", true)
    assert.is_nil((limiter:incoming("a", true)))
    now = 101
    assert.equal(0, (limiter:incoming("a", true)))
    limiter:uncommit("a", first)  -- to the window it came from
    assert.is_nil((limiter:incoming("a", true)))
    limiter:uncommit("a")
    assert.equal(0, (limiter:incoming("a", true)))
end)

case("fixed_window obeys a limit that was changed at once", function()
    local assert = require "luassert"
    local limit = 0
    local limiter = fixed_window(ngx.shared.roomy,
        function(key) return key == "a" and limit or 0 end,
        function() return 1 end)
    assert.is_nil((limiter:incoming("a", true)))
    limit = 1
    assert.equal(0, (limiter:incoming("a", true)))
    limit = 2
    assert.equal(0, (limiter:incoming("a", true)))
    limit = 1
    assert.is_nil((limiter:incoming("a", true)))
    assert.is_nil((limiter:incoming("b", true)))
end)

-- The second time behind an entry that outlives them, as all do that are there
-- when the time of day is set back.
for _, stuck in ipairs { false, true } do
    case("fixed_window gives its room back when its second is long gone"
        .. (stuck and ", also behind one that stays" or ""), function()
            local assert = require "luassert"
            local dict, now = ngx.shared.tiny, 0
            local limiter = fixed_window(dict, function() return 1 end,
                function() return now end)
            assert.is_true(not stuck or dict:safe_add("stuck", 1, 100))
            local passed, failed = 0
            repeat
                now = now + 1
                local delay = limiter:incoming("a", true)
                passed, failed = passed + 1, not delay
            until failed
            assert.is_true(passed > 10)
            ngx.sleep(3.2)
            now = now + 1
            assert.equal(0, (limiter:incoming("a", true)))
            assert.equal(stuck and 1 or nil, (dict:get("stuck")))
        end)
end

case("in_flight frees itself when nobody gives back", function()
    local assert = require "luassert"
    local limiter = require("seckill.limit.in_flight").new(ngx.shared.roomy,
        0.2)
    assert.equal(0, (limiter:incoming("a", true)))
    assert.is_nil((limiter:incoming("a", true)))
    ngx.sleep(0.3)
    assert.equal(0, (limiter:incoming("a", true)))
end)

local function leased(source)
    return require("seckill.limit.lease").new(ngx.shared.roomy, source.refill)
end

case("lease spends what it was given, and no more", function()
    local assert = require "luassert"
    local source = kit().source(40, "1")
    local limiter = leased(source)
    for _ = 1, 40 do
        assert.equal(0, (limiter:incoming("a", true)))
    end
    assert.equal("rejected", select(2, limiter:incoming("a", true)))
end)

case("lease refills once half is spent, and nobody waits for it", function()
    local assert = require "luassert"
    local source = kit().source(1000, "1")
    local limiter = leased(source)
    local began_at
    for i = 1, 32 do
        if i == 2 then
            source.seconds = 0.05  -- from the second refill on
            ngx.update_time()
            began_at = ngx.now()
        end
        assert.equal(0, (limiter:incoming("a", true)))
        ngx.sleep(0)  -- lets what is in the background begin
        assert.equal(i < 16 and 1 or 2, source.asked)
    end
    ngx.update_time()
    assert.is_true(ngx.now() - began_at < 0.05)
    ngx.sleep(0.1)
    assert.equal(0, (limiter:incoming("a", true)))
    assert.equal(2, source.asked)
end)

-- Spends this many a second, in rounds of 10 ms.
local function spend_at(limiter, per_second, rounds)
    for _ = 1, rounds do
        for _ = 1, per_second / 100 do
            limiter:incoming("a", true)
        end
        ngx.sleep(0.01)
    end
end

case("lease asks for more at a time when more is spent", function()
    local assert = require "luassert"
    local source = kit().source(1e6, "1")
    local limiter = leased(source)
    spend_at(limiter, 10000, 100)
    local asked = source.asked
    spend_at(limiter, 10000, 100)
    assert.is_true(source.asked - asked <= 8)
    assert.is_true(source.most >= 1000 and source.most <= 10000)
    local before = source.last
    spend_at(limiter, 1500, 250)  -- what is in hand is spent first
    assert.is_true(source.last < before / 2)
end)

case("lease never asks for more than 10000", function()
    local assert = require "luassert"
    local source = kit().source(1e7, "1")
    spend_at(leased(source), 200000, 30)
    assert.equal(10000, source.most)
end)

case("lease pauses after an empty or a failed refill", function()
    local assert = require "luassert"
    for _, err in ipairs { "rejected", "connection refused" } do
        local source = kit().source(0, "1")
        source.error = err ~= "rejected" and err or nil
        local limiter = leased(source)
        for _ = 1, 5 do
            assert.equal(err, select(2, limiter:incoming(err, true)))
        end
        assert.equal(1, source.asked)
        ngx.sleep(0.15)
        source.tokens, source.error = 1, nil
        limiter:incoming(err, true)  -- after an error it does not wait
        ngx.sleep(0.01)
        assert.equal(err == "rejected", not limiter:incoming(err, true))
    end
end)

case("lease keeps nobody waiting after a refill that failed", function()
    local assert = require "luassert"
    local source = kit().source(0, "1")
    source.error, source.seconds = "timeout", 0.1
    local limiter = leased(source)
    assert.equal("timeout", select(2, limiter:incoming("a", true)))
    for round = 1, 3 do
        ngx.sleep(0.15)
        ngx.update_time()
        local began_at = ngx.now()
        for _ = 1, 5 do
            assert.equal("timeout", select(2, limiter:incoming("a", true)))
        end
        ngx.sleep(0.001)
        assert.equal(round + 1, source.asked)
        assert.is_true(ngx.now() - began_at < 0.05)
        ngx.sleep(0.1)
    end
end)

-- What count takes at once get: how many a delay, and how often each error.
-- The key is the caller's own, for a refill may outlive its case.
local function at_once(limiter, key, count)
    local threads, passed, errors = {}, 0, {}
    for i = 1, count do
        threads[i] = ngx.thread.spawn(limiter.incoming, limiter, key, true)
    end
    for i = 1, count do
        local _, delay, err = ngx.thread.wait(threads[i])
        passed = passed + (delay and 1 or 0)
        if not delay then
            errors[err] = (errors[err] or 0) + 1
        end
    end
    return passed, errors
end

case("lease refuses nobody while a refill is under way", function()
    local assert = require "luassert"
    local source = kit().source(1000, "1")
    source.seconds = 0.02
    local passed, errors = at_once(leased(source), "c", 500)
    assert.same({}, errors)
    assert.equal(500, passed)
    assert.is_true(source.asked <= 6)
end)

case("lease refuses those who cannot have one, after a refill", function()
    local assert = require "luassert"
    local source = kit().source(5, "1")
    source.seconds = 0.02
    local passed, errors = at_once(leased(source), "d", 10)
    assert.equal(5, passed)
    assert.same({ rejected = 5 }, errors)
end)

case("lease lets a bounded number wait for a bounded time", function()
    local assert = require "luassert"
    local source = kit().source(2000, "1")
    source.seconds = 0.4
    ngx.update_time()
    local began_at = ngx.now()
    local passed, errors = at_once(leased(source), "e", 1100)
    assert.equal(0, passed)
    assert.same({ rejected = 1100 }, errors)
    assert.is_true(ngx.now() - began_at < 0.39)
    source.seconds = 0.02
    passed, errors = at_once(leased(source), "f", 1100)
    assert.equal(1000, passed)
    assert.same({ rejected = 100 }, errors)
end)

case("lease outlives a refill that raises an error", function()
    local assert = require "luassert"
    local source = kit().source(5, "1")
    local raises = true
    local limiter = require("seckill.limit.lease").new(ngx.shared.roomy,
        function(...)
            if raises then
                error("broken")
            end
            return source.refill(...)
        end)
    assert.matches("broken", select(2, limiter:incoming("g", true)))
    raises = false
    assert.equal(0, (limiter:incoming("g", true)))
end)

case("lease leaves old tokens behind when a refill has another epoch",
    function()
        local assert = require "luassert"
        local source = kit().source(2, "1")
        local limiter = leased(source)
        local _, told = limiter:incoming("a", true)
        assert.equal("1", told)
        limiter:incoming("a", true)
        source.tokens, source.epoch = 2, "7"
        _, told = limiter:incoming("a", true)
        assert.equal("7", told)
        limiter:uncommit("a", "1")  -- an answer that comes late
        assert.equal(0, (limiter:incoming("a", true)))
        assert.equal("rejected", select(2, limiter:incoming("a", true)))
        limiter:uncommit("a", "7")
        assert.equal(0, (limiter:incoming("a", true)))
    end)

case("lease keeps a token whose epoch is no longer known lost", function()
    local assert = require "luassert"
    local source = kit().source(1, "1")
    local limiter = leased(source)
    limiter:incoming("a", true)
    ngx.shared.roomy:flush_all()
    limiter:uncommit("a", "1")
    limiter:uncommit("a")
    assert.equal("rejected", select(2, limiter:incoming("a", true)))
end)

return cases
