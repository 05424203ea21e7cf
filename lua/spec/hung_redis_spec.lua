-- The control Redis hangs: what that costs the attempts of a warm sale, and
-- how soon /metrics tells.

local balance = require "balance"
local edge = require "edge"

local WARM, SOLD_OUT, USED_UP = "731", "732", "733"

local ROUNDS = 3  -- the machine may stall; what shows is there in every one
local GROWTH_MS = 5
local SLOWEST_MS = 90  -- Redis has 100 to reply
local HANG_SECONDS = 3  -- the node has its share of the rate for 5 s

-- Attempts for each product in one go of curl, and how many go before.
local IN_ONE, BEFORE = 50, 8
local MOST = 60  -- of those that go during a hang; a warm sale has fewer

-- By status. The used-up quota is 429 until it is known that nobody can be
-- asked, then 503.
local KINDS = { [202] = "passed", [409] = "sold out", [429] = "used up",
    [503] = "used up" }

describe("while the control Redis hangs", function()
    setup(function()
        edge.start()
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        for product, total in pairs { [WARM] = 10000000, [SOLD_OUT] = 1000,
                [USED_UP] = 0 } do
            edge.redis("hset seckill:limits:product:%s qps 1000000", product)
            edge.sale(product, { sold_out = product == SOLD_OUT and 1 or 0 },
                total)
        end
    end)
    teardown(edge.stop)

    local function metric(name)
        return balance.read()["seckill_" .. name]
    end

    local function hang()
        edge.sh("kill -STOP %d", edge.redis_pid)
    end

    local function go_on()
        edge.sh("kill -CONT %d", edge.redis_pid)
        assert.is_true(edge.within(1, function()
            return edge.status().controlRedis == "ok"
        end))
    end

    -- Some goes of curl, each for the products in turn.
    local function prepare(goes)
        for go = 1, goes do
            local requests = {}
            for _ = 1, IN_ONE do
                for _, product in ipairs { WARM, SOLD_OUT, USED_UP } do
                    requests[#requests + 1] = edge.attempts(product, 1)[1]
                end
            end
            edge.prepare_run(requests, "go" .. go)
        end
    end

    -- Milliseconds by kind, sorted; no more goes once the seconds are over.
    local function measure(goes, seconds)
        local times = { ["passed"] = {}, ["sold out"] = {}, ["used up"] = {} }
        local ends = edge.now() + seconds
        for go = 1, goes do
            for _, answer in ipairs(edge.run("go" .. go, 2)) do
                local list = times[KINDS[answer.status]]
                assert.is_table(list, "answered " .. answer.status)
                list[#list + 1] = answer.ms
            end
            if edge.now() >= ends then
                break
            end
        end
        for _, list in pairs(times) do
            table.sort(list)
        end
        return times
    end

    -- A product has no row before the workers have told of it.
    local function tokens_at_hand()
        return metric("lease_tokens{product=\"" .. WARM .. "\"}") or 0
    end

    -- Leaves so many tokens at hand as a quick sale has.
    local function warm_up()
        local tokens
        assert.is_true(edge.within(20, function()
            edge.flood(edge.attempts(WARM, 1000), 20)
            tokens = tokens_at_hand()
            return tokens >= BEFORE * IN_ONE
        end), tokens .. " tokens at hand")
    end

    local function p99(list)
        return list[math.ceil(#list * 0.99)] or math.huge
    end

    -- Did no kind's p99 grow much, and nothing that passed wait for Redis,
    -- while nearly all leased tokens were spent and more were asked for? And
    -- the figures.
    local function round()
        warm_up()
        prepare(BEFORE)
        local before = measure(BEFORE, math.huge)
        local goes = math.min(MOST,
            math.floor(0.9 * tokens_at_hand() / IN_ONE))
        prepare(goes)
        local failures = metric "leases_failed_total"
        hang()
        local during = measure(goes, HANG_SECONDS)
        go_on()
        failures = metric "leases_failed_total" - failures

        local is_good = failures > 0 and goes > 0
        local told = { failures .. " leases failed" }
        for _, kind in ipairs { "passed", "sold out", "used up" } do
            local was, is = before[kind], during[kind]
            is_good = is_good and #is == goes * IN_ONE
                and p99(is) - p99(was) < GROWTH_MS
                and (kind ~= "passed" or is[#is] < SLOWEST_MS)
            told[#told + 1] = ("%s: p99 %.1f ms before, %.1f during; slowest"
                .. " %.1f; %d of %d"):format(kind, p99(was), p99(is),
                is[#is] or math.huge, #is, goes * IN_ONE)
        end
        return is_good, table.concat(told, "; ")
    end

    it("p99 of the attempts of a warm sale grows by less than 5 ms while the"
        .. " control Redis hangs", function()
        local told = {}
        for i = 1, ROUNDS do
            local is_good, figures = round()
            if is_good then
                return
            end
            told[i] = figures
        end
        error("in each round:\n" .. table.concat(told, "\n"))
    end)

    local function is_up(value)
        return edge.within(1, function()
            return metric "control_redis_up" == value
        end)
    end

    it("seckill_control_redis_up is 0 within a second, and 1 within a second"
        .. " when it is over", function()
        for i = 0, 7 do  -- right after a poll, and later
            assert.is_true(is_up(1))
            edge.sleep(0.06 * (i % 4))
            hang()
            local is_told = is_up(0)
            edge.sh("kill -CONT %d", edge.redis_pid)
            assert.is_true(is_up(1))
            assert.is_true(is_told)
        end
    end)

    it("seckill_control_redis_call_ms tells of a call that was given up, for"
        .. " some seconds", function()
            local function is_told()
                return metric "control_redis_call_ms" >= SLOWEST_MS
            end
            assert.is_true(edge.within(8, function()  -- those of before
                return not is_told()
            end))
            hang()
            local is_seen = edge.within(1, is_told)
            go_on()
            assert.is_true(is_seen)
        end)

    it("each call of it that fails is counted, and none when it is over",
        function()
        local function failed()
            return metric "control_redis_failed_total"
        end
        local function grows(count)
            return edge.within(1, function()
                return failed() > count
            end)
        end
        local before = failed()
        hang()
        local is_counted = grows(before)
        local is_counted_on = grows(failed())
        local leases = metric "leases_failed_total"
        local polls = failed()
        edge.buy(USED_UP, edge.stranger())
        local with_lease = edge.within(1, function()
            return metric "leases_failed_total" > leases
        end) and failed() > polls
        go_on()
        assert.same({ true, true, true },
            { is_counted, is_counted_on, with_lease })

        edge.sleep(0.2)  -- what was under way
        local after, answered = failed(),
            metric "control_redis_answered_total"
        edge.sleep(0.4)
        assert.equal(after, failed())
        assert.is_true(metric "control_redis_answered_total" > answered)
        assert.equal("", balance.unbalanced())
    end)
end)
