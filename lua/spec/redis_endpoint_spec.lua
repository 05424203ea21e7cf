-- The examples of contracts/examples/redis-endpoint: as they are read, and as
-- an edge starts on them; and a control Redis that wants user and password.

local cjson = require "cjson"
local edge = require "edge"
local endpoints = require "seckill.config.redis_endpoint"
local examples = require "examples"

describe("a Redis endpoint", function()
    local function text_or_nil(value)
        return value ~= cjson.null and value or nil
    end

    it("that is valid is taken", function()
        examples.each_json("redis-endpoint/valid", function(path, example)
            assert.same({
                host = example.host,
                port = example.port,
                user = text_or_nil(example.user),
                password = text_or_nil(example.password),
                tls = example.tls,
            }, endpoints.parse(example.uri), path)
        end)
    end)

    it("that is invalid is refused", function()
        examples.each_json("redis-endpoint/invalid", function(path, example)
            assert.is_nil(endpoints.parse(example.uri), path)
        end)
    end)
end)

describe("the edge and the endpoint of its control Redis", function()
    setup(edge.start)
    teardown(edge.stop)

    local function render(uri)
        return edge.render("SECKILL_CONTROL_REDIS='"
            .. uri:gsub("'", "'\\''") .. "'")
    end

    -- Parts of what stands where a password does, long enough to be one.
    local function secrets_of(uri)
        local list = {}
        for word in (uri:match("//[^:]*:(.*)@") or ""):gmatch("%w%w%w%w+") do
            list[#list + 1] = word
        end
        return list
    end

    local function as_admin(command)
        return edge.redis("--user admin -a admin --no-auth-warning %s",
            command)
    end

    -- The default user needs a password from here on, and nobody but admin
    -- may do more than an edge does.
    local RIGHTS = edge.rights()
    local function set_users(list)
        local commands = { { "ACL", "SETUSER", "admin", "on", ">admin",
            "allkeys", "allcommands" } }
        for i, user in ipairs(list) do
            commands[i + 1] = { "ACL", "SETUSER", user.user, "on",
                ">" .. user.password, "resetkeys", unpack(RIGHTS) }
        end
        edge.redis_all(commands)
        as_admin("acl setuser default '>ours' resetkeys nocommands '"
            .. table.concat(RIGHTS, "' '") .. "'")
    end

    local function restart_at(uri)
        edge.stop_edge()
        assert.equal("", render(uri))
        edge.start_edge()
    end

    local function at_our_redis(uri)
        return (uri:gsub("[^@/]+$", "127.0.0.1:" .. edge.port + 4))
    end

    it("is stopped by any that is invalid, and shows no password",
        function()
            edge.stop_edge()
            local with_password, at_start = 0, 0
            examples.each_json("redis-endpoint/invalid",
                function(name, example)
                    local said = render(example.uri)
                    if said == "" then
                        at_start = at_start + 1
                        said = edge.start_and_stop()
                        assert.matches("\n1\n$", said, name)
                    end
                    assert.matches("SECKILL_CONTROL_REDIS ", said, 1, true)
                    said = said .. edge.error_log()
                    for _, word in ipairs(secrets_of(example.uri)) do
                        with_password = with_password + 1
                        assert.is_nil(said:find(word, 1, true), name)
                    end
                end)
            assert.is_true(with_password > 5)
            assert.is_true(at_start > 0)  -- render is not the only reader
        end)

    it("starts with any that is valid, and asks there", function()
        local count = 0
        examples.each_json("redis-endpoint/valid", function(name, example)
            -- render_spec.lua has TLS, and this machine may have a Redis.
            if example.tls or example.host == "127.0.0.1" then
                return
            end
            count = count + 1
            local line = ("cannot read the control Redis at %s:%d: ")
                :format(example.host, example.port)
            local told = edge.count_of(edge.error_log(), line)
            restart_at(example.uri)
            assert.is_true(edge.within(2, function()
                return edge.count_of(edge.error_log(), line) == told + 1
            end), name)
            for _, word in ipairs(secrets_of(example.uri)) do
                assert.is_nil(edge.error_log():find(word, 1, true), name)
            end
        end)
        assert.is_true(count >= 8)
    end)

    -- The valid examples with a password, and Redis's own default user.
    local function users()
        local list = { { user = "default", password = "ours",
            uri = "redis://default:ours@any:1" } }
        examples.each_json("redis-endpoint/valid", function(_, example)
            if example.user ~= cjson.null and not example.tls then
                list[#list + 1] = example
            end
        end)
        return list
    end

    it("shows user and password to a Redis that wants them", function()
        restart_at(at_our_redis "redis://any:1")
        edge.start_redis()
        edge.sale("541", {}, 100000)
        assert.equal(202, (edge.buy("541", edge.stranger())))
        local list = users()
        assert.is_true(#list >= 5)
        set_users(list)
        for _, user in ipairs(list) do
            restart_at(at_our_redis(user.uri))
            assert.is_true(edge.within(2, function()
                return edge.buy("541", edge.stranger()) == 202
            end), user.uri)
            assert.matches(" user=" .. user.user .. " ",
                as_admin "client list", 1, true)
        end
    end)

    it("is closed with a wrong password, told once and not shown", function()
        restart_at(at_our_redis "redis://seckill:mistaken@any:1")
        edge.sleep(0.8)  -- three polls
        local status, headers, body = edge.buy("541", edge.stranger())
        assert.equal(503, status)
        assert.equal("BUSY", body.code)
        assert.equal("1", headers["retry-after"])
        assert.matches("WRONGPASS", edge.status().controlRedis, 1, true)
        local log = edge.error_log():match("WRONGPASS.*$")
        assert.equal(1, edge.count_of(log, "WRONGPASS"))
        assert.equal("", edge.sh("grep -l mistaken '%s/edge/error.log'"
            .. " '%s/edge/out'", edge.dir, edge.dir))
        as_admin "acl setuser seckill '>mistaken'"
        -- The node before it may have passed all of the second at hand.
        assert.is_true(edge.within(2, function()
            return edge.buy("541", edge.stranger()) == 202
        end))
        assert.matches("the control Redis is back", edge.error_log(), 1, true)
    end)
end)
