-- A chain takes all or none, whoever made the limiters. Runs inside nginx.

local cases = {}

local function case(name, run)
    cases[#cases + 1] = { name, function()
        run(require "luassert", require "support.limiters")
    end }
end

local function chain_of(links, errors, shadow, counted)
    return require("seckill.limit.chain").new(links, function(...)
        errors[#errors + 1] = { ... }
    end, shadow or {}, function(name)
        counted[#counted + 1] = name
    end)
end

local function link(name, limiter, passes)
    return { name = name, limiter = limiter, passes = passes }
end

case("takes one of each", function(assert, kit)
    local a, b = kit.tiny(2), kit.tiny(2)
    local limiters = chain_of({ link("a", a), link("b", b) }, {})
    assert.equal(0, limiters:incoming({ "x", "y" }, {}))
    assert.same({ x = 1 }, a.taken)
    assert.same({ y = 1 }, b.taken)
end)

case("leaves every limiter as it was when one refuses", function(assert, kit)
    for refuses = 1, 3 do
        local made, links, keys = {}, {}, { "x", "y", "z" }
        for i = 1, 3 do
            made[i] = kit.tiny(i == refuses and 0 or 1)
            links[i] = link("l" .. i, made[i])
        end
        local limiters = chain_of(links, {})
        for _ = 1, 3 do
            local delay, err = limiters:incoming(keys, {})
            assert.is_nil(delay)
            assert.equal("rejected", err)
        end
        for i = 1, 3 do
            assert.equal(0, made[i].taken[keys[i]] or 0)
        end
    end
end)

case("leaves every limiter as it was when one cannot tell",
    function(assert, kit)
        local a, c, errors = kit.tiny(1), kit.tiny(1), {}
        local limiters = chain_of({ link("a", a),
            link("b", kit.broken "no memory"), link("c", c) }, errors)
        local delay, err = limiters:incoming({ "x", "y", "z" }, {})
        assert.is_nil(delay)
        assert.equal("no memory", err)
        assert.equal(0, a.taken.x)
        assert.is_nil(c.taken.z)
        assert.equal(1, #errors)
        assert.equal("b", errors[1][1])
        assert.is_nil(errors[1][2])
        assert.equal("no memory", errors[1][3])
    end)

case("goes on where a limiter that cannot tell may let pass",
    function(assert, kit)
        local b, errors = kit.tiny(1), {}
        local limiters = chain_of({ link("a", kit.broken "no memory", true),
            link("b", b) }, errors)
        local taken = {}
        assert.equal(0, limiters:incoming({ "x", "y" }, taken))
        assert.same({ "a", true, "no memory" }, errors[1])
        limiters:uncommit({ "x", "y" }, taken)  -- gives back b alone
        assert.equal(0, b.taken.y)
        assert.equal(0, limiters:incoming({ "x", "y" }, {}))
        local _, err = limiters:incoming({ "x", "y" }, {})
        assert.equal("rejected", err)
    end)

case("refuses where a limiter that may let pass on errors refuses",
    function(assert, kit)
        local errors = {}
        local limiters = chain_of({ link("a", kit.tiny(0), true) }, errors)
        assert.equal("rejected", select(2, limiters:incoming({ "x" }, {})))
        assert.equal(0, #errors)
    end)

case("lets pass what a limiter in shadow mode refuses, and tells it",
    function(assert, kit)
        local a, c, errors, counted = kit.tiny(1), kit.tiny(2), {}, {}
        local limiters = chain_of({ link("a", a), link("c", c) }, errors,
            { a = true }, counted)
        assert.equal(0, limiters:incoming({ "x", "y" }, {}))
        local taken = {}
        assert.equal(0, limiters:incoming({ "x", "y" }, taken))
        assert.same({ "a" }, counted)
        limiters:uncommit({ "x", "y" }, taken)  -- gives back c alone
        assert.same({ x = 1 }, a.taken)
        assert.same({ y = 1 }, c.taken)
        limiters:incoming({ "x", "y" }, {})
        assert.equal("rejected",
            select(2, limiters:incoming({ "x", "y" }, {})))
        assert.equal(0, #errors)
    end)

case("lets nothing pass where a limiter in shadow mode cannot tell",
    function(assert, kit)
        local limiters = chain_of({ link("a", kit.broken "no memory") }, {},
            { a = true }, {})
        local _, err = limiters:incoming({ "x" }, {})
        assert.equal("no memory", err)
    end)

case("tells the longest delay", function(assert, kit)
    local function slow(delay)
        local limiter = kit.tiny(9)
        local incoming = limiter.incoming
        function limiter.incoming(...)
            return incoming(...) and delay
        end
        return limiter
    end
    local limiters = chain_of({ link("a", slow(0.01)), link("b", slow(0.3)),
        link("c", slow(0.2)) }, {})
    assert.equal(0.3, limiters:incoming({ "x", "x", "x" }, {}))
end)

case("gives back to each limiter what it told", function(assert)
    local given = {}
    local function telling(told)
        return {
            incoming = function() return 0, told end,
            uncommit = function(_, key, got)
                given[#given + 1] = key .. "=" .. tostring(got)
            end,
        }
    end
    local limiters = chain_of({ link("a", telling("w1")),
        link("b", telling("e2")), link("c", telling(nil)) }, {})
    local taken = {}
    limiters:incoming({ "x", "y", "z" }, taken)
    limiters:uncommit({ "x", "y", "z" }, taken)
    assert.same({ "z=true", "y=e2", "x=w1" }, given)
end)

case("takes all or none of our own limiters and another's",
    function(assert, kit)
        local dict = ngx.shared.roomy
        for _, refuses in ipairs { "fixed_window", "in_flight", "lease" } do
            dict:flush_all()
            local links, keys = { link("tiny", kit.tiny(9)) }, { refuses }
            for _, name in ipairs { "fixed_window", "in_flight", "lease" } do
                links[#links + 1] = link(name, kit.all[name].make(dict))
                keys[#keys + 1] = name
                if name == refuses then  -- until it is used up
                    while links[#links].limiter:incoming(name, true) do end
                end
            end
            local limiters = chain_of(links, {})
            assert.equal("rejected", select(2, limiters:incoming(keys, {})))
            for i = 2, 4 do
                local name = keys[i]
                local passed = 0
                while links[i].limiter:incoming(name, true) do
                    passed = passed + 1
                end
                assert.equal(name == refuses and 0 or kit.all[name].limit,
                    passed, name .. " after " .. refuses)
            end
        end
    end)

case("holds resty.limit.conn beside ours, where the machine has it",
    function(assert, kit)
        local theirs = assert(kit.theirs "resty.limit.conn".new("roomy", 2, 0,
            0.1))
        local ours = kit.tiny(3)
        local limiters = chain_of({ link("theirs", theirs),
            link("ours", ours) }, {})
        assert.equal(0, limiters:incoming({ "x", "x" }, {}))
        assert.equal(0, limiters:incoming({ "x", "x" }, {}))
        assert.equal("rejected",
            select(2, limiters:incoming({ "x", "x" }, {})))
        assert.equal(2, ours.taken.x)
        theirs:uncommit("x")
        ours.taken.x = 3
        assert.equal("rejected",
            select(2, limiters:incoming({ "x", "x" }, {})))
        assert.equal(0, (theirs:incoming("x", true)))  -- was given back
    end)

-- Of OpenResty's kind, between two of ours. value: a window, or how many wait.
local function adapted(kit, kind, limit, value)
    kit.theirs("resty.limit." .. kind)
    local theirs = require("seckill.limit.resty_" .. kind).new("roomy", kind,
        limit, value)
    local ours = kit.tiny(9)
    return chain_of({ link("a", kit.tiny(9)), link("theirs", theirs),
        link("ours", ours) }, {}), ours, theirs
end

local X = { "x", "x", "x" }

for _, each in ipairs { { "count", 60 }, { "req", 1 } } do
    local kind, value = each[1], each[2]
    case("leaves resty.limit." .. kind .. " as it was when a later one refuses",
        function(assert, kit)
            local limiters, ours = adapted(kit, kind, 2, value)
            ours.taken.x = 9
            for _ = 1, 5 do
                local _, why, number = limiters:incoming(X, {})
                assert.same({ "rejected", 3 }, { why, number })
            end
            ours.taken.x = 0
            for _ = 1, 2 do
                assert.is_truthy(limiters:incoming(X, {}))
            end
            local _, why, number = limiters:incoming(X, {})
            assert.same({ "rejected", 2 }, { why, number })
        end)

    case("is closed by a resty.limit." .. kind .. " of 0", function(assert, kit)
        local limiters, ours, theirs = adapted(kit, kind, 0, value)
        assert.equal("rejected", select(2, limiters:incoming(X, {})))
        assert.equal("rejected", select(2, theirs:incoming("x", false)))
        assert.is_nil(ours.taken.x)
    end)
end

case("charges nothing for what resty.limit.count refuses", function(assert, kit)
    local limiters, _, theirs = adapted(kit, "count", 1, 60)
    local taken = {}
    assert.equal(0, limiters:incoming(X, taken))
    for _ = 1, 5 do
        assert.equal("rejected", select(2, limiters:incoming(X, {})))
    end
    limiters:uncommit(X, taken)
    assert.equal(1, ngx.shared.roomy:get("count:x"))
    assert.equal(0, (theirs:incoming("x", true)))
end)

case("gives nothing back to a later window of resty.limit.count",
    function(assert, kit)
        local limiters = adapted(kit, "count", 1, 0.1)
        local taken = {}
        assert.equal(0, limiters:incoming(X, taken))
        ngx.sleep(0.15)
        assert.equal(0, limiters:incoming(X, {}))
        limiters:uncommit(X, taken)
        assert.equal("rejected", select(2, limiters:incoming(X, {})))
        ngx.sleep(0.15)
        assert.equal(0, limiters:incoming(X, {}))
    end)

case("has resty.limit.req and counters in one dict, and tells its delay",
    function(assert, kit)
        local dict = ngx.shared.roomy
        dict:set("x", 7)
        local limiters = adapted(kit, "req", 2, 1)
        assert.equal(0, limiters:incoming(X, {}))
        assert.near(0.5, limiters:incoming(X, {}), 0.05)
        assert.equal("rejected", select(2, limiters:incoming(X, {})))
        assert.equal(7, dict:get("x"))
    end)

case("gives back to resty.limit.req no more than was taken",
    function(assert, kit)
        local limiters, ours = adapted(kit, "req", 2, 1)
        assert.equal(0, limiters:incoming(X, {}))
        ngx.sleep(0.1)
        ours.taken.x = 9
        assert.is_nil((limiters:incoming(X, {})))
        ours.taken.x = 0
        local delay = limiters:incoming(X, {})  -- 0.5 less what was slept
        assert.is_true(delay > 0.1 and delay < 0.45, delay)
    end)

case("keeps a record of resty.limit.req no longer than it counts",
    function(assert, kit)
        local limiters = adapted(kit, "req", 100, 1)
        local dict, taken = ngx.shared.roomy, {}
        assert.equal(0, limiters:incoming(X, taken))
        assert.near(1.02, dict:ttl("req:x"), 0.01)
        limiters:uncommit(X, taken)
        assert.near(1.02, dict:ttl("req:x"), 0.01)
    end)

return cases
