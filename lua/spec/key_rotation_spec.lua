-- Keys are rotated while the edge runs: no reload, no refusal of a token whose
-- key is in the file, and no word of one whose key has gone.

local edge = require "edge"

describe("a key file that changes", function()
    local NEW = ("n"):rep(40)
    local KEYS = { k1 = edge.OLD_SECRET, k2 = edge.SECRET, k3 = NEW }

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("931")
        edge.sale("932", { path = "on" })
    end)
    teardown(edge.stop)

    local function write_keys(text)
        edge.write(edge.dir .. "/keys.new", text)
        edge.sh("mv '%s/keys.new' '%s/keys'", edge.dir, edge.dir)
    end

    local function line(kid)
        return kid .. " " .. KEYS[kid] .. "\n"
    end

    local tokens = {}
    for kid, secret in pairs(KEYS) do
        tokens[kid] = edge.token("rotated-" .. kid, {},
            { alg = "HS256", kid = kid }, secret)
    end

    -- Of four calls at once, so that every worker is asked.
    local function says(kid, status)
        for _ = 1, 4 do
            local got = edge.http("GET",
                "/seckill/flash/sale/result?productId=931",
                { headers = { "Authorization: Bearer " .. tokens[kid] } })
            if got ~= status and got ~= 429 then
                return false
            end
            edge.sleep(0.06)
        end
        return true
    end

    local function becomes(kid, status)
        return edge.within(2, function() return says(kid, status) end)
    end

    it("has a new key in force within two seconds, and the old one stays",
        function()
            assert.is_true(says("k1", 200) and says("k2", 200)
                and says("k3", 401))
            write_keys(line "k3" .. line "k2")
            assert.is_true(becomes("k3", 200))
            assert.is_true(says("k2", 200))
        end)

    it("ends what a key that is gone has signed, also what was remembered",
        function()
            assert.is_true(becomes("k1", 401))
            write_keys(line "k3")
            assert.is_true(becomes("k2", 401))
            assert.is_true(says("k3", 200))
        end)

    it("decides on signed paths as well", function()
        local function try(secret)
            local user = edge.stranger()
            local path = edge.sign_path(user, "932", edge.now_ms() + 60000,
                secret)
            local status = edge.http("POST", "/seckill/flash/sale/" .. path
                .. "/deduct?productId=932", { headers = {
                    "Authorization: Bearer " .. edge.token(user, {},
                        { alg = "HS256", kid = "k3" }, NEW) } })
            return status
        end
        assert.equal(403, try(edge.SECRET))
        assert.equal(202, try(NEW))
    end)

    it("leaves the last good keys when it is bad, and says so once",
        function()
            local before = edge.status().configErrors
            for _, text in ipairs { "", "k3 short\n",
                    line "k3" .. line "k3" } do
                write_keys(text)
                edge.sleep(1.3)
                assert.is_true(says("k3", 200))
            end
            edge.sh("rm '%s/keys'", edge.dir)
            edge.sleep(1.3)
            assert.is_true(says("k3", 200))
            assert.equal(before + 4, edge.status().configErrors)
            write_keys(line "k3" .. line "k2")
            assert.is_true(becomes("k2", 200))
            assert.is_true(edge.within(2, function()
                return edge.count_of(edge.error_log(),
                    "SECKILL_TOKEN_KEYS is good again") == 1
            end))
            assert.is_nil(edge.error_log():find(NEW, 1, true))
        end)
end)
