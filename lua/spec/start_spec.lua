-- A real start and a real reload on every key file of contracts/examples/:
-- one that is wrong stops it in the contract's words and without a secret,
-- one that is right works; and keys change under load. (The other settings:
-- render_spec.lua, redis_endpoint_spec.lua.)

local edge = require "edge"
local examples = require "examples"

local ORDERS = "/seckill/orders"

-- A token of a user nobody has seen, of this key of the key file.
local function signed(kid, secret)
    return edge.token(edge.stranger(), {}, { alg = "HS256", kid = kid },
        secret)
end

-- The statuses of a call with each token; 401: its key is not in force.
local function statuses_of(tokens)
    local requests, list = {}, {}
    for i, token in ipairs(tokens) do
        requests[i] = { "GET", ORDERS, token = token }
    end
    edge.prepare_run(requests, "calls")
    for i, answer in ipairs(edge.run("calls", 1)) do
        list[i] = answer.status
    end
    return list
end

local function status_of(token)
    return statuses_of({ token })[1]
end

local function write_keys(text)
    edge.write(edge.dir .. "/keys", text)
end

-- Fails when a log or a message shows a word of a key file behind a key id.
local function assert_no_secret(said, keys, name)
    for line in keys:gmatch("[^\n]+") do
        for word in line:gsub("^%s*%S+", ""):gmatch("%S+") do
            assert.is_true(#word < 5 or not said:find(word, 1, true), name)
        end
        local first = line:match("%S+") or ""
        assert.is_true(#first < 20 or not said:find(first, 1, true), name)
    end
end

describe("the edge and its key file", function()
    local KEY = "k1 " .. edge.OLD_SECRET .. "\n"

    setup(edge.start)
    teardown(edge.stop)

    local function reload()
        edge.sh("kill -HUP %d", edge.edge_pid)
    end

    local function workers()
        return edge.sh("pgrep -P %d", edge.edge_pid)
    end

    it("keeps workers and keys at a reload of any that is invalid",
        function()
            write_keys(KEY)
            local before = workers()
            reload()
            assert.is_true(edge.within(3, function()
                return status_of(signed("k1", edge.OLD_SECRET)) == 200
                    and not workers():find(before:match("%d+"), 1, true)
            end))
            before = workers()
            examples.each("key-file/invalid", "keys", function(name, text)
                local fault = "SECKILL_TOKEN_KEYS: " .. edge.dir .. "/keys: "
                    .. examples.text(name .. ".error")
                local told = edge.count_of(edge.error_log(), fault)
                write_keys(text)
                reload()
                assert.is_true(edge.within(3, function()
                    return edge.count_of(edge.error_log(), fault) == told + 1
                end), name)
                local kid, secret = text:match("^%s*(%S+)[ \t]+(%S+)")
                if kid and not kid:find("[^%w_.-]") then
                    assert.equal(401, status_of(signed(kid, secret)), name)
                end
                assert_no_secret(edge.error_log(), text, name)
            end)
            assert.equal(before, workers())
            assert.equal(200, status_of(signed("k1", edge.OLD_SECRET)))
            assert.equal(401, status_of(signed("k2", edge.SECRET)))
        end)

    it("stops at a start with any that is invalid", function()
        edge.stop_edge()
        examples.each("key-file/invalid", "keys", function(name, text)
            write_keys(text)
            local said = edge.start_and_stop()
            assert.matches("SECKILL_TOKEN_KEYS: " .. edge.dir .. "/keys: "
                .. examples.text(name .. ".error"), said, 1, true)
            assert.matches("\n1\n$", said, name)
            assert_no_secret(said .. edge.error_log(), text, name)
        end)
    end)

    it("starts with each that is valid, and takes its keys and no other",
        function()
            examples.each("key-file/valid", "keys", function(name, text)
                write_keys(text)
                edge.stop_edge()
                edge.start_edge()
                local tokens, expected = { signed("k9", edge.SECRET) }, { 401 }
                for line in text:gmatch("[^\n]+") do
                    local kid, secret =
                        line:match("^[ \t]*([%w_.-]+)[ \t]+(%S+)[ \t]*$")
                    if kid then
                        tokens[#tokens + 1] = signed(kid, secret)
                        tokens[#tokens + 1] = signed(kid, secret .. "x")
                        expected[#tokens - 1], expected[#tokens] = 200, 401
                    end
                end
                assert.is_true(#tokens > 1, name)
                assert.same(expected, statuses_of(tokens), name)
            end)
        end)

    it("does not start with one it cannot read", function()
        edge.stop_edge()
        edge.sh("mv '%s/keys' '%s/gone'", edge.dir, edge.dir)
        local said = edge.start_and_stop()
        edge.sh("mv '%s/gone' '%s/keys'", edge.dir, edge.dir)
        assert.matches("SECKILL_TOKEN_KEYS: cannot read: " .. edge.dir, said,
            1, true)
        assert.matches("\n1\n$", said)
    end)

    describe("that rotates under load", function()
        local OLD, NEW = edge.OLD_SECRET, edge.SECRET
        local path_sale = "531"

        setup(function()
            write_keys("k1 " .. OLD .. "\n")
            edge.stop_edge()
            edge.start_edge()
            edge.start_redis()
            edge.sale(path_sale, { path = "on" })
        end)

        -- 400 calls, each with a user and a token of its own. One of twenty
        -- is answered after half a second, so that eight connections need
        -- more than a second and some call is always in flight.
        local function prepare(name, kids)
            local requests = {}
            for i = 1, 400 do
                local kid = kids[i % #kids + 1]
                local user = i % 20 == 0 and "slow" .. i or edge.stranger()
                requests[i] = { "GET", ORDERS, token = edge.token(user, {},
                    { alg = "HS256", kid = kid },
                    kid == "k1" and OLD or NEW) }
            end
            edge.prepare_run(requests, name)
        end

        local function load(name)
            return edge.tally(edge.run(name, 8))
        end

        -- Answers of a load, while the node takes over these keys; returns
        -- when the last of its older workers is gone.
        local function rotate(keys, name)
            local older = workers()
            write_keys(keys)
            edge.sh("(sleep 0.4; kill -HUP %d) >/dev/null 2>&1 &",
                edge.edge_pid)
            local answers = load(name)
            assert.is_true(edge.within(10, function()
                local now = workers()
                for pid in older:gmatch("%d+") do
                    if ("\n" .. now):find("\n" .. pid .. "\n", 1, true) then
                        return false
                    end
                end
                return now ~= ""
            end), "an older worker stays")
            return answers
        end

        local function buy_by_path(secret)
            local user = edge.stranger()
            return (edge.buy(path_sale, user, edge.sign_path(user, path_sale,
                edge.now_ms() + 60000, secret)))
        end

        it("knows the new key from the reload on, and the old one still",
            function()
                prepare("old", { "k1" })
                prepare("both", { "k1", "k2" })
                prepare("new", { "k2" })
                assert.same({ [401] = 400 }, load "new")
                assert.same({ [200] = 400 },
                    rotate(("k2 %s\nk1 %s\n"):format(NEW, OLD), "old"))
                assert.same({ [200] = 400 }, load "both")
                assert.equal(202, buy_by_path(OLD))
                assert.equal(202, buy_by_path(NEW))
            end)

        it("forgets the old key, and tokens of it that it had verified",
            function()
                assert.same({ [200] = 400 },
                    rotate(("k2 %s\n"):format(NEW), "new"))
                assert.same({ [401] = 400 }, load "old")
                assert.equal(200, status_of(signed("k2", NEW)))
                assert.equal(403, buy_by_path(OLD))
                assert.equal(202, buy_by_path(NEW))
                assert.equal(403, buy_by_path(("x"):rep(40)))
            end)
    end)
end)
