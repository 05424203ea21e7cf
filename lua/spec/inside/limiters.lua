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
    for _, name in ipairs { "in_flight", "lease", "window" } do
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
        assert.equal(0, (limiter:incoming("a", true)))
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
            assert.equal(0, (limiter:incoming(key, true)))
        end
        assert.is_nil((limiter:incoming(key, true)))
    end
end)

each("takes nothing without commit", function(make, limit, assert)
    local limiter = make(ngx.shared.roomy)
    for _ = 1, limit do
        for _ = 1, 5 do
            assert.equal(0, (limiter:incoming("a", false)))
        end
        assert.equal(0, (limiter:incoming("a", true)))
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
        assert.equal(0, (limiter:incoming("a", true)))
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
        assert.equal(0, (other:incoming("a", true)))
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

for _, name in ipairs { "lease", "window" } do
    case(name .. " works on in a dict that has become full", function()
        local assert, dict = require "luassert", ngx.shared.tiny
        local limiter = kit().all[name].make(dict)
        assert.equal(0, (limiter:incoming("a", true)))
        kit().fill(dict)
        assert.equal(0, (limiter:incoming("a", true)))
        -- a lease has no room to note that it asks
        assert.equal(name == "window" and "rejected" or "no memory",
            select(2, limiter:incoming("a", true)))
        assert.equal("no memory", select(2, limiter:incoming("b", true)))
        limiter:uncommit("a")
        assert.equal(0, (limiter:incoming("a", true)))
    end)
end

each("stands in resty.limit.traffic's combine()", function(make, limit,
        assert)
    local found, traffic = pcall(require, "resty.limit.traffic")
    if not found then
        error("skip: resty.limit.traffic is not on this machine", 0)
    end
    local ours, other = make(ngx.shared.roomy), kit().tiny(limit + 1)
    for _ = 1, limit do
        assert.equal(0, traffic.combine({ other, ours }, { "x", "a" }))
    end
    local delay, err = traffic.combine({ other, ours }, { "x", "a" })
    assert.is_nil(delay)
    assert.equal("rejected", err)
    assert.equal(limit, other.taken.x)
    ours:uncommit("a")
    assert.equal(0, traffic.combine({ ours, other }, { "a", "x" }))
    ours:uncommit("a")
    assert.is_nil((traffic.combine({ ours, other }, { "a", "x" })))
    assert.equal(0, (ours:incoming("a", true)))
end)

case("window begins anew with each second", function()
    local assert = require "luassert"
    local now = 100.999
    local limiter = require("seckill.limit.window").new(ngx.shared.roomy, "w",
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

case("window obeys a limit that was changed at once", function()
    local assert = require "luassert"
    local limit = 0
    local limiter = require("seckill.limit.window").new(ngx.shared.roomy, "w",
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

case("window gives its room back when its second is long gone", function()
    local assert = require "luassert"
    local dict, now = ngx.shared.tiny, 0
    local limiter = require("seckill.limit.window").new(dict, "w",
        function() return 1 end, function() return now end)
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
end)

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

case("lease spends no more than it was given, 32 at a time", function()
    local assert = require "luassert"
    local source = kit().source(40, "1")
    local limiter = leased(source)
    for i = 1, 40 do
        assert.equal(0, (limiter:incoming("a", true)))
        assert.equal(i <= 32 and 1 or 2, source.asked)
    end
    assert.equal("rejected", select(2, limiter:incoming("a", true)))
    assert.equal(3, source.asked)
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
        assert.equal(0, (limiter:incoming(err, true)))
    end
end)

case("lease lets one request refill while the others are refused", function()
    local assert = require "luassert"
    local asked = 0
    local function slow()
        asked = asked + 1
        ngx.sleep(0.05)
        return 5, "1"
    end
    local limiter = require("seckill.limit.lease").new(ngx.shared.roomy, slow)
    local threads = {}
    for i = 1, 10 do
        threads[i] = ngx.thread.spawn(limiter.incoming, limiter, "a", true)
    end
    local passed = 0
    for i = 1, 10 do
        local _, delay, err = ngx.thread.wait(threads[i])
        passed = passed + (delay and 1 or 0)
        assert.equal(delay == nil, err == "rejected")
    end
    assert.equal(1, asked)
    assert.equal(1, passed)
    for _ = 1, 4 do
        assert.equal(0, (limiter:incoming("a", true)))
    end
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
