-- A reload that meets a poll of the control Redis: the leaving worker lets the
-- next one poll at once, and nothing fails.

local edge = require "edge"

describe("a reload in the middle of a poll", function()
    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("661")
    end)
    teardown(edge.stop)

    -- Polls last 30 ms from here on, so that some reload meets one.
    local function slow_down()
        return tonumber((edge.sh("redis-cli -p %d -r 100000 debug sleep 0.03"
            .. " >/dev/null 2>&1 & echo $!", edge.port + 4)))
    end

    it("fails in no worker, and limits are felt within a second", function()
        local slow = slow_down()
        for round = 1, 12 do
            edge.sh("kill -HUP %d; sleep 0.%d", edge.edge_pid,
                20 + round * 3)
            local closed = round % 2 == 0
            edge.redis("hset seckill:limits:product:661 qps %d",
                closed and 0 or 1000)
            assert.is_true(edge.within(1.2, function()
                return (edge.buy("661", edge.stranger()) == 503) == closed
            end), "round " .. round)
        end
        edge.kill(slow)
        assert.is_nil(edge.error_log():find("process exiting", 1, true))
        assert.is_nil(edge.error_log():find("polls no more", 1, true))
    end)
end)
