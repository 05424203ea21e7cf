-- edge.global_qps is the limit of all nodes together: their shares are never
-- more than it, and are all of it when it is wanted, whoever wants it.

local edge = require "edge"

describe("three nodes", function()
    local RATE, LEAD_SECONDS = 60, 3
    local NODES = { edge.url, edge.second_url, edge.third_url }
    local INTERNAL = { edge.internal, edge.second_internal,
        edge.third_internal }

    local function set_limit(value)
        edge.redis("hset seckill:limits edge.global_qps %d", value)
    end

    local function gauge(node, name)
        local text = edge.sh("curl -s --max-time 2 %s/metrics",
            INTERNAL[node])
        return tonumber(text:match("\nseckill_" .. name .. "{[^}]*} (%d+)"))
    end

    local function know_each_other(count)
        return edge.within(3, function()
            for node = 1, count do
                if gauge(node, "nodes_known") ~= count then
                    return false
                end
            end
            return true
        end)
    end

    setup(function()
        edge.start("SECKILL_WORKERS=4")
        edge.start_redis()
        edge.redis("hset seckill:limits:product:921 qps 1000000")
        set_limit(RATE)
        edge.sale("921", {}, 100000000)
        edge.start_second("SECKILL_WORKERS=4")
        edge.start_third("SECKILL_WORKERS=4")
        assert.is_true(know_each_other(3))
    end)
    teardown(edge.stop)

    -- A flood of so many attempts on each of these nodes, its files ready.
    local function prepare(nodes, count)
        for i, node in ipairs(nodes) do
            edge.prepare_run(edge.attempts("921", count, NODES[node]),
                "crowd" .. i)
        end
    end

    local AT_ONCE = "-Z --parallel-max 4"

    -- Sends what is prepared again and again from that second until that one;
    -- what is answered goes to that file.
    local function send(crowd, begins, ends, file, how)
        edge.sh("(while [ $(date +%%s) -lt %d ]; do sleep 0.01; done;"
            .. " while [ $(date +%%s) -lt %d ]; do curl -s %s"
            .. " -K '%s/crowd%d' 2>/dev/null; done) >'%s' & echo", begins,
            ends, how, edge.dir, crowd, file)
    end

    -- The next second from now on.
    local function soon()
        return math.floor(edge.now()) + 1
    end

    -- Crowds on these nodes for LEAD_SECONDS, in which shares go to where they
    -- are wanted, and for so many: how many passed on each node in these.
    local function crowd(nodes, seconds)
        local begins = soon() + LEAD_SECONDS
        for i in ipairs(nodes) do
            send(i, 0, begins, "/dev/null", AT_ONCE)
            send(i, begins, begins + seconds, edge.dir .. "/said" .. i,
                AT_ONCE)
        end
        edge.sleep(begins - edge.now() + 0.1)
        edge.densest(1)
        edge.sleep(begins + seconds - edge.now() + 1.5)
        local passed = {}
        for i in ipairs(nodes) do
            passed[i] = edge.count_of(edge.sh("cat '%s/said%d'", edge.dir, i),
                "202 ")
        end
        return passed
    end

    local function sum(list)
        local all = 0
        for _, number in ipairs(list) do
            all = all + number
        end
        return all
    end

    -- The last flood may begin in the last second and end in the next one.
    local function is_exact(passed, seconds, rate)
        local all = sum(passed)
        assert.is_true(all <= rate * (seconds + 1),
            all .. " passed in " .. seconds .. " s")
        assert.is_true(all >= rate * seconds * 0.75,
            all .. " passed in " .. seconds .. " s")
        local most = edge.densest(0.95)  -- they are on their way for a moment
        assert.is_true(most <= rate, most .. " passed within a second")
    end

    it("together pass a rate exactly, each its even share", function()
        prepare({ 1, 2, 3 }, 60)
        local passed = crowd({ 1, 2, 3 }, 4)
        is_exact(passed, 4, RATE)
        for _, count in ipairs(passed) do
            assert.is_true(count >= RATE / 3 * 4 * 0.5, "uneven")
        end
    end)

    it("leave all of it to the one that wants it", function()
        prepare({ 2 }, 100)
        is_exact(crowd({ 2 }, 4), 4, RATE)
    end)

    it("pass no more in any second while a share moves to another", function()
        prepare({ 1, 2 }, 60)
        local begins = soon()
        -- Evenly: what the first passed just before is in every second's span.
        send(1, begins, begins + 7, "/dev/null", "--rate 70/s")
        send(2, begins + 4, begins + 7, "/dev/null", AT_ONCE)
        edge.sleep(begins - edge.now() + 3)
        edge.densest(1)
        edge.sleep(5)
        local most = edge.densest(0.95)
        assert.is_true(most <= RATE, most .. " passed within a second")
        assert.is_true(most >= RATE * 0.8, most .. " passed within a second")
    end)

    it("obey a limit that was lowered or raised", function()
        for _, rate in ipairs { 12, RATE } do
            set_limit(rate)
            prepare({ 1, 2, 3 }, 60)
            is_exact(crowd({ 1, 2, 3 }, 4), 4, rate)
        end
    end)

    it("give no more when the control Redis has lost who has what",
        function()
            prepare({ 1, 2, 3 }, 60)
            edge.sh("(for i in $(seq 14); do sleep 0.5; redis-cli -p %d"
                .. " del seckill:edges; done) >/dev/null 2>&1 &",
                edge.port + 4)
            is_exact(crowd({ 1, 2, 3 }, 4), 4, RATE)
        end)

    it("refuse nobody for a pause of the control Redis, below their shares",
        function()
            assert.is_true(know_each_other(3))
            prepare({ 1 }, 60)
            for _, pause in ipairs { 1.3, 2.6 } do
                local begins = soon() + 1
                send(1, begins, begins + 5, edge.dir .. "/said", "--rate 12/s")
                edge.sleep(begins - edge.now() + 0.7)
                edge.sh("kill -STOP %d; sleep %s; kill -CONT %d",
                    edge.redis_pid, pause, edge.redis_pid)
                edge.sleep(begins + 7 - edge.now())
                local said = edge.sh("cat '%s/said'", edge.dir)
                assert.equal(0, edge.count_of(said, "429 "))
                assert.is_true(edge.count_of(said, "202 ") >= 30)
            end
        end)

    it("take over within seven seconds what one had that was killed, which"
        .. " passes nothing of it when it is back", function()
            edge.kill_node "third_pid"
            assert.is_true(edge.within(7, function()
                return gauge(1, "nodes_known") == 2
                    and gauge(2, "nodes_known") == 2
            end))
            prepare({ 1, 2 }, 60)
            is_exact(crowd({ 1, 2 }, 3), 3, RATE)
            prepare({ 1, 2, 3 }, 60)
            edge.start_third("SECKILL_WORKERS=4")
            is_exact(crowd({ 1, 2, 3 }, 4), 4, RATE)
        end)

    it("cut off from the control Redis go on with their shares for five"
        .. " seconds, and are closed then", function()
            assert.is_true(know_each_other(3))
            prepare({ 1, 2, 3 }, 60)
            edge.sh("kill -STOP %d", edge.redis_pid)
            edge.sleep(2.1)  -- nothing that was given lasts that long
            local shares = {}
            for node = 1, 3 do
                shares[node] = gauge(node, "share_per_second")
            end
            local is_closed = edge.within(5, function()
                return gauge(1, "share_known") + gauge(2, "share_known")
                    + gauge(3, "share_known") == 0
            end)
            local said = edge.http("POST",
                "/seckill/flash/sale/deduct?productId=921",
                { user = edge.stranger() })
            edge.sh("kill -CONT %d", edge.redis_pid)
            assert.same({ RATE / 3, RATE / 3, RATE / 3 }, shares)
            assert.is_true(is_closed)
            assert.equal(503, said)
            assert.is_true(edge.within(1, function()
                return gauge(1, "share_known") == 1
            end))
        end)
end)
