-- Workers are killed (kill -9) under load: what they held is lost with them or
-- free within seconds, and nothing waits for them.

local edge = require "edge"

local RESULT = "/seckill/flash/sale/result?productId=1531"
local DEDUCT = "/seckill/flash/sale/deduct?productId=1531"

local WORKERS, KILLS = 3, 5
local USERS = 240

describe("workers that are killed under load", function()
    setup(function()
        edge.start("SECKILL_WORKERS=" .. WORKERS)
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        edge.redis("hset seckill:limits:product:1531 qps 1000000")
        edge.sale("1531", {}, 100000)
        edge.sale("1532", {}, 40)
    end)
    teardown(edge.stop)

    -- Attempts and calls that take half a second each are in flight all the
    -- time; one worker after the other is killed in the middle of some.
    local function kill_some()
        local requests = {}
        for i = 1, USERS do
            requests[i] = i % 2 == 0 and { "POST", DEDUCT, "slow" .. i }
                or { "GET", RESULT, "slow" .. i }
        end
        edge.prepare_run(requests, "crowd")
        local crowd = tonumber((edge.sh("(for i in $(seq 2); do curl -s -Z"
            .. " --parallel-max 60 -K '%s/crowd'; done) >/dev/null 2>&1 &"
            .. " echo $!", edge.dir)))
        for _ = 1, KILLS do
            edge.sleep(0.4)
            local pids = edge.sh("pgrep -P %d", edge.edge_pid)
            edge.sh("kill -9 %s", pids:match("%d+"))
        end
        assert.is_true(edge.within(20, function()
            return edge.sh("kill -0 %d 2>&1", crowd) ~= ""
        end))
    end

    local function issued(product)
        return tonumber(edge.redis("hget seckill:quota:%s issued", product))
    end

    it("leave no user's mark, no place among those that wait, and no lease"
        .. " taken", function()
            kill_some()
            local requests = {}
            for i = 2, USERS, 2 do
                requests[#requests + 1] = { "POST", DEDUCT, "slow" .. i }
            end
            edge.prepare_run(requests, "again")
            assert.is_true(edge.within(9, function()  -- a mark has 6 s
                return edge.tally(edge.run("again", 60))[202] == #requests
            end))
            local calls = {}
            for i = 1, 120 do
                calls[i] = { "GET", RESULT, "slow" .. edge.stranger() }
            end
            assert.same({ [200] = 120 }, edge.flood(calls, 30))
            edge.sale("1533", {}, 1000)
            assert.same({ [202] = 300 },
                edge.flood(edge.attempts("1533", 300), 20))
        end)

    it("pass no more of a quota than there is, and all of it once it is raised"
        .. " by what they held", function()
            edge.seen()
            local passed = 0
            local function flood()
                passed = passed + (edge.flood(edge.attempts("1532", 60),
                    20)[202] or 0)
            end
            edge.sh("(for i in 1 2 3; do sleep 0.1; kill -9 $(pgrep -P %d |"
                .. " head -1); done) >/dev/null 2>&1 &", edge.edge_pid)
            for _ = 1, 8 do
                flood()
            end
            local seen = edge.seen()
            assert.equal(40, issued "1532")
            assert.is_true(passed <= seen and seen <= 40, seen)
            edge.redis("hset seckill:quota:1532 total %d", 80 - seen)
            passed = seen
            assert.is_true(edge.within(3, function()
                flood()
                return passed >= 40
            end), passed)
            assert.equal(40, passed)
        end)

    it("are followed by others that poll: a limit is in force within a second",
        function()
            for _ = 1, 3 do
                local pids = edge.sh("pgrep -P %d", edge.edge_pid)
                edge.sh("kill -9 %s", (pids:gsub("\n", " ")))
                edge.sleep(1.1)  -- the lock of the one that polled
                for _, step in ipairs { { 0, 503 }, { 1000000, 202 } } do
                    edge.redis("hset seckill:limits:product:1531 qps %d",
                        step[1])
                    assert.is_true(edge.within(1, function()
                        return edge.buy("1531", edge.stranger()) == step[2]
                    end))
                end
            end
        end)
end)
