-- The limiters are exact whatever the number of workers: what passes, what
-- was issued, what the services saw and what was counted are one number.

local edge = require "edge"

local DEDUCT = "/seckill/flash/sale/deduct?productId="

-- How often each worker has woken up since its start.
local function wakes()
    local counts = {}
    for pid in edge.sh("pgrep -P %d", edge.edge_pid):gmatch("%d+") do
        counts[pid] = tonumber(edge.sh("cat /proc/%s/status", pid)
            :match("\nvoluntary_ctxt_switches:%s*(%d+)"))
    end
    return counts
end

for _, workers in ipairs { 1, 2, 8 } do
    describe("with " .. workers .. " worker(s)", function()
        setup(function()
            edge.start("SECKILL_WORKERS=" .. workers)
            edge.start_redis()
            edge.redis("hset seckill:limits edge.global_qps 1000000")
        end)
        teardown(edge.stop)
        before_each(edge.seen)

        local function issued(product)
            return tonumber(edge.redis("hget seckill:quota:%s issued",
                product))
        end

        local function grown(before)
            local after = edge.status().decisions
            return function(code)
                return after[code] - before[code]
            end
        end

        -- Floods until the quota is used up; how many passed.
        local function sell(product, want)
            local passed = 0
            for _ = 1, 20 do
                local count = edge.flood(edge.attempts(product, 200), 40)
                passed = passed + (count[202] or 0)
                if passed >= want then
                    break
                end
            end
            return passed
        end

        -- How many workers woke more often since then than their timers do.
        local function busy(before)
            local count = 0
            for pid, wakings in pairs(wakes()) do
                count = count + (wakings - before[pid] > 40 and 1 or 0)
            end
            return count
        end

        local function is_exact(product)
            edge.sale(product, {}, 150)
            local before = edge.status().decisions
            assert.equal(150, sell(product, 150))
            assert.is_nil(edge.flood(edge.attempts(product, 200), 20)[202])
            local count = grown(before)
            assert.same({ 150, 150, 150, 150, 0 }, { issued(product),
                edge.seen(), count "PASSED", count "ACCEPTED",
                count "GIVEN_BACK" })
            edge.redis("hset seckill:quota:%s total 157", product)
            edge.sleep(0.15)
            assert.equal(7, sell(product, 7))
            assert.equal(157, issued(product))
            edge.seen()
        end

        -- Which worker takes a connection is the kernel's choice: again, with
        -- another product, until two have had their share.
        it("a quota is passed exactly, and no refusal changes it", function()
            local most = 0
            for product = 811, 816 do
                local before = wakes()
                is_exact(tostring(product))
                most = math.max(most, busy(before))
                if most >= math.min(workers, 2) then
                    return
                end
            end
            error("the load came to " .. most .. " worker(s) only")
        end)

        it("tokens given back are passed again, each once", function()
            edge.sale("802", {}, 60)
            local before = edge.status().decisions
            local sold = 0
            for round = 1, 20 do
                local requests = edge.attempts("802", 120)
                for i = 1, 120, 2 do
                    requests[i][3] = ("beaten%d.%d"):format(round, i)
                end
                sold = sold + (edge.flood(requests, 30)[202] or 0)
                if sold >= 60 then
                    break
                end
            end
            local count = grown(before)
            assert.equal(60, sold)
            assert.equal(60, issued("802"))
            assert.equal(60, count "ACCEPTED")
            assert.is_true(count "GIVEN_BACK" > 0)
            assert.equal(count "PASSED", 60 + count "GIVEN_BACK")
            assert.equal(count "PASSED", edge.seen())
        end)

        it("a rate is passed exactly under parallel load", function()
            -- Calls for a path: no quota refuses any of them.
            edge.redis("hset seckill:limits:product:803 qps 50")
            edge.sale("803", { path = "on" })
            local count
            for _ = 1, 3 do
                local requests = edge.attempts("803", 250)
                for _, request in ipairs(requests) do
                    request[2] = "/seckill/flash/sale/path?productId=803"
                end
                edge.prepare_run(requests, "rate")
                edge.sleep_until(0)
                local second = math.floor(edge.now())
                count = edge.tally(edge.run("rate", 30))
                if math.floor(edge.now()) == second then
                    break
                end
            end
            assert.same({ [200] = 50, [429] = 200 }, count)
        end)

        it("of one user's parallel attempts exactly one passes", function()
            edge.sale("804", {}, 1000)
            local requests = {}
            for i = 1, 30 do
                requests[i] = { "POST", DEDUCT .. 804, "slow1" }
            end
            assert.same({ [202] = 1, [429] = 29 },
                edge.flood(requests, 30))
            assert.equal(1, edge.seen())
            assert.equal(32, issued("804"))
        end)
    end)
end
