-- 10,000 products on one node: what is changed by hand is in force within a
-- second, and what nothing changes costs next to nothing.

local balance = require "balance"
local edge = require "edge"
local machine = require "machine"

local COUNT = 10000
local FIRST = 3000001
local CPU_MS = 60  -- in a second; of 1,000 in every poll it was 72

local LATE_MS = 60  -- in one go it was 140

local function product_of(i)
    return tostring(FIRST + i)
end

local function any()
    return product_of(math.random(0, COUNT - 1))
end

local function put_sales()
    for from = 0, COUNT - 1, 1000 do
        local list = {}
        for i = from, from + 999 do
            list[#list + 1] = product_of(i)
        end
        edge.sales(list)
    end
end

local function set_qps(product, qps)
    edge.redis("hset seckill:limits:product:%s qps %d", product, qps)
end

local function buy(product)
    return (edge.buy(product, edge.stranger()))
end

local function becomes(product, status, seconds)
    return edge.within(seconds or 1, function()
        return buy(product) == status
    end)
end

local function hints_are(said, seconds)
    return edge.within(seconds or 3, function()
        return edge.status().changeHints == said
    end)
end

-- Hints come, and all were read once since then.
local function settle()
    assert.is_true(hints_are("ok", 6))
    edge.sleep(2)
end

-- Of the connection on which hints come: a client with the flag B.
local function drop_hints()
    local id = edge.redis("client list"):match("id=(%d+)[^\n]* flags=%a*B")
    edge.redis("client kill id %s", id)
end

describe("of 10,000 products", function()
    setup(function()
        edge.start()
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        put_sales()
        settle()
    end)
    teardown(edge.stop)

    it("a change of qps of any by HSET is in force within a second", function()
        for _ = 1, 20 do
            local product = any()
            set_qps(product, 0)
            assert.is_true(becomes(product, 503), product)
            set_qps(product, 1000)
            assert.is_true(becomes(product, 202), product)
        end
    end)

    it("a sale that ends, or is sold out, is closed within a second", function()
        local ended, sold_out = product_of(0), product_of(COUNT - 1)
        edge.redis("hset seckill:sale:%s end_at_ms %d start_at_ms 1", ended,
            edge.now_ms())
        assert.is_true(becomes(ended, 410))
        edge.redis("hset seckill:sale:%s sold_out 1", sold_out)
        assert.is_true(becomes(sold_out, 409))
        edge.redis("hset seckill:sale:%s sold_out 0", sold_out)
        assert.is_true(becomes(sold_out, 202))
    end)

    it("a new one is known, and a removed synthetic one forgotten, within a"
        .. " second", function()
            edge.redis("srem seckill:sales %s", product_of(5))  -- makes room
            edge.sleep(1)
            local from = edge.now()
            edge.sale("2900001", { synthetic = 1 })
            local seconds = edge.now() - from
            assert.is_true(seconds < 1, seconds .. " s")
            edge.redis("srem seckill:sales 2900001")
            edge.redis("del seckill:sale:2900001")
            assert.is_true(becomes("2900001", 404))
            edge.redis("hset seckill:sale:2900002 product_id 2900002")
            edge.redis("sadd seckill:sales 2900002")
            assert.is_true(edge.within(2, function()
                return edge.error_log():find("sale:2900002: not allowed: this"
                    .. " name; passed over", 1, true)
            end))
            edge.redis("srem seckill:sales 2900002")
            edge.redis("sadd seckill:sales %s", product_of(5))
        end)

    -- Seconds until all of the products have these limits.
    local function change_all(qps)
        local commands = {}
        for i = 0, COUNT - 1 do
            commands[i + 1] = { "HSET", "seckill:limits:product:"
                .. product_of(i), "qps", qps }
        end
        local version = edge.status().configVersion
        edge.redis_all(commands)
        local from = edge.now()
        assert.is_true(edge.within(5, function()
            return edge.status().configVersion >= version + COUNT
        end))
        return edge.now() - from
    end

    it("all are changed at once, and that is in force within a second",
        function()
            local best = math.huge
            for round = 1, 5 do  -- others work on this machine, too
                best = math.min(best,
                    change_all(1000 + round) / machine.slowness())
                if best < 1 then
                    break
                end
            end
            assert.is_true(best < 1, best .. " s")
            for _ = 1, 5 do
                assert.equal(202, buy(product_of(math.random(1, COUNT - 1))))
            end
            change_all(0)
            for _ = 1, 5 do
                assert.equal(503, buy(product_of(math.random(1, COUNT - 1))))
            end
            change_all(1000)
        end)

    -- Milliseconds of CPU of all workers in a second.
    local function cpu_ms()
        local ticks = 0
        for pid in edge.sh("pgrep -P %d", edge.edge_pid):gmatch("%d+") do
            local user, system = edge.sh("cat /proc/%s/stat", pid)
                :match("%) %a" .. (" %S+"):rep(10) .. " (%d+) (%d+)")
            ticks = ticks + user + system
        end
        return ticks * 10  -- a tick is 10 ms
    end

    it("reading costs less than 60 ms of CPU a second while nothing changes",
        function()
            local best = math.huge
            for _ = 1, 3 do  -- others work on this machine, too
                local before, from = cpu_ms(), edge.now()
                edge.sleep(3)
                best = math.min(best, (cpu_ms() - before)
                    / (edge.now() - from) / machine.cpu_slowness())
            end
            assert.is_true(best < CPU_MS, best .. " ms")
        end)

    -- By how many milliseconds a timer of a worker was late in a second.
    local function late_ms()
        local most = 0
        for name, ms in pairs((balance.read())) do
            if name:find("seckill_timer_late_ms", 1, true) then
                most = math.max(most, ms)
            end
        end
        return most
    end

    -- Each round makes the workers check all sales again.
    it("to list all holds up a worker for less than 60 ms", function()
        local best = math.huge
        for round = 1, 5 do
            local commands = {}
            for i = 0, COUNT - 1 do
                commands[i + 1] = { "HSET", "seckill:sale:" .. product_of(i),
                    "name", "Round " .. round }
            end
            edge.redis_all(commands)
            edge.sleep(2)
            local ends, most = edge.now() + 1.5, 0
            while edge.now() < ends do
                local _, _, got = edge.http("GET", "/seckill/sales")
                assert.equal(COUNT, #got.sales)
                most = math.max(most, late_ms())
            end
            best = math.min(best, most)
            if best < LATE_MS then
                return
            end
        end
        error(best .. " ms")
    end)

    it("what changes while the connection of hints is away is found", function()
        drop_hints()
        local product = any()
        set_qps(product, 0)
        assert.is_true(becomes(product, 503, 4))
        settle()
        set_qps(product, 1000)
        assert.is_true(becomes(product, 202))
    end)

    it("a message too large, or a key too long, ends the connection and no"
        .. " more", function()
            edge.redis("eval \"for i = 1, 100001 do redis.call('set',"
                .. " 'seckill:sale:x' .. i, 1) end\" 0")
            edge.redis("eval \"redis.call('set', 'seckill:sale:' .."
                .. " ('x'):rep(2000), 1)\" 0")
            local product = any()
            set_qps(product, 0)
            assert.is_true(becomes(product, 503, 4))
            settle()
            set_qps(product, 1000)
            assert.is_true(becomes(product, 202))
            edge.redis("eval \"for i = 1, 100001 do redis.call('del',"
                .. " 'seckill:sale:x' .. i) end\" 0")
            edge.sleep(1.5)
            settle()
        end)

    it("while the control Redis hangs nothing changes, and then all that did",
        function()
            local product = any()
            edge.sh("kill -STOP %d", edge.redis_pid)
            edge.sleep(2)
            edge.sh("kill -CONT %d", edge.redis_pid)
            set_qps(product, 0)
            assert.is_true(becomes(product, 503, 3))
            settle()
            set_qps(product, 1000)
            assert.is_true(becomes(product, 202))
        end)

    it("changes are found within seconds where Redis gives no hints, and that"
        .. " is said", function()
            edge.redis("acl setuser default '-client|tracking'")
            drop_hints()
            assert.is_true(edge.within(4, function()
                return tostring(edge.status().changeHints):find("NOPERM", 1,
                    true)
            end))
            local product = any()
            set_qps(product, 0)
            local is_in_force = becomes(product, 503, 4)
            edge.redis("acl setuser default +@all")
            assert.is_true(is_in_force)
            settle()
            set_qps(product, 1000)
            assert.is_true(becomes(product, 202))
        end)

    it("a worker that polls is killed, and another goes on", function()
        local poller = edge.redis("client list")
        assert.is_true(poller:find("flags=%a*B") ~= nil)
        local pids = edge.sh("pgrep -P %d", edge.edge_pid)
        edge.sh("kill -9 %s", pids:match("%d+"))
        edge.sleep(1.5)
        settle()
        local product = any()
        set_qps(product, 0)
        assert.is_true(becomes(product, 503))
        set_qps(product, 1000)
        assert.is_true(becomes(product, 202))
    end)

    it("limits stay when Redis lost all, and are as they are put back",
        function()
            local closed = any()
            set_qps(closed, 0)
            assert.is_true(becomes(closed, 503))
            edge.sleep(1.5)  -- the file is written once a second
            edge.kill(edge.redis_pid, "9")
            edge.stop_edge()
            edge.start_edge()
            for _ = 1, 20 do
                assert.equal(200, (edge.http("GET", "/seckill/sales/"
                    .. any())))
            end
            edge.start_redis()
            edge.redis("del seckill:limits:kept")
            assert.is_true(edge.within(2, function()
                return edge.status().limits == "lost"
            end))
            edge.redis("hset seckill:limits edge.global_qps 1000000")
            put_sales()
            edge.redis("del seckill:limits:kept")
            settle()
            assert.equal(503, buy(closed))
            local product = any()
            set_qps(product, 0)
            assert.is_true(becomes(product, 503))
            edge.redis("hdel seckill:limits:product:%s qps", product)
            edge.sleep(0.5)
            assert.equal(503, buy(product))
            edge.keep_limits()  -- nothing is put back, so all are the default
            assert.is_true(becomes(closed, 202, 2))
            assert.is_true(becomes(product, 202, 2))
        end)

    it("a FLUSHALL leaves all as they were", function()
        local closed, open = product_of(17), product_of(18)
        set_qps(closed, 0)
        assert.is_true(becomes(closed, 503))
        edge.redis("flushall")
        local ends = edge.now() + 3
        while edge.now() < ends do
            assert.equal(503, buy(closed))
            assert.equal(200, (edge.http("GET", "/seckill/sales/" .. open)))
            edge.sleep(0.1)
        end
        put_sales()
        set_qps(closed, 0)
        edge.keep_limits()
        settle()
        assert.equal(503, buy(closed))
        assert.is_true(becomes(open, 202))
    end)

    it("none is unknown to a node that has just started, by the rights that an"
        .. " edge needs", function()
        edge.redis("acl setuser edge on '>edge' '%s'",
            table.concat(edge.rights(), "' '"))
        edge.stop_edge()
        assert.equal("", edge.render("SECKILL_CONTROL_REDIS="
            .. "redis://edge:edge@127.0.0.1:" .. edge.port + 4))
        edge.sh("rm '%s/edge/in-force.json'", edge.dir)
        edge.start_edge()
        assert.is_true(edge.within(8, function()
            local status = edge.http("GET", "/seckill/sales/" .. any())
            assert.is_true(status == 200 or status == 503)
            return status == 200
        end))
        for _ = 1, 20 do
            assert.equal(200, (edge.http("GET", "/seckill/sales/" .. any())))
        end
        settle()
    end)

    it("the connection of hints outlives silence, by those rights too",
        function()
            local function id()
                return (edge.redis("client list | grep 'flags=[a-zA-Z]*B'"
                    .. " || true")):match("^id=(%d+)")
            end
            settle()
            local before = id()
            assert.is_truthy(before)
            edge.sleep(2.5)  -- two PINGs and more
            assert.equal(before, id())
            assert.is_true(hints_are("ok"))
        end)

    it("only few are left: all are read in each poll, and no hints wanted",
        function()
            edge.sh("seq %d %d | xargs redis-cli -p %d srem seckill:sales"
                .. " >/dev/null", FIRST + 500, FIRST + COUNT, edge.port + 4)
            assert.is_true(hints_are(nil, 12))
            assert.equal("", (edge.redis("client list | grep 'flags=[a-zA-Z]*B'"
                .. " || true")))
            for _ = 1, 5 do
                local product = product_of(math.random(0, 499))
                set_qps(product, 0)
                assert.is_true(becomes(product, 503), product)
            end
        end)
end)
