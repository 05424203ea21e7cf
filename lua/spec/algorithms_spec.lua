-- Each algorithm on a real edge, for all that it can count at once: a crowd is
-- let through as fast as it promises, and no faster, however many workers.

local edge = require "edge"

local RATE, SECONDS = 40, 3

-- Most within a second, least in SECONDS; of a user's calls as many at once,
-- and so many more per second.
local ALGORITHMS = {
    { "fixed_window", most = 2 * RATE, least = RATE * SECONDS, calls = 40 },
    { "sliding_window", most = RATE, least = RATE * SECONDS * 0.95,
        calls = 20 },
    { "token_bucket", most = RATE + RATE / 5, least = RATE * SECONDS,
        calls = 4, per_second = 20 },
    { "leaky_bucket", most = RATE + 1, least = RATE * SECONDS, waits = true,
        calls = 6, per_second = 20 },
}

-- An algorithm on so many workers; of(is_kept) adds the cases.
local function describe_on(workers, row, product, of)
    describe(("a %s on %d worker(s)"):format(row[1], workers), function()
        setup(function()
            edge.start(("SECKILL_WORKERS=%d SECKILL_BURST_MS=200"
                .. " SECKILL_LIMITER_NODE=%s SECKILL_LIMITER_PRODUCT=%s"
                .. " SECKILL_LIMITER_USER=%s SECKILL_LIMITER_ADDRESS=%s")
                :format(workers, row[1], row[1], row[1], row[1]))
            edge.start_redis()
            edge.sale(product, {}, 100000)
        end)
        teardown(edge.stop)

        -- Attempts for SECONDS from the beginning of one, each user's own.
        local function crowd()
            edge.prepare_run(edge.attempts(product, 2 * RATE), "crowd")
            edge.sleep(1.1)
            edge.sleep_until(0)
            edge.densest(1)
            edge.seen()
            local ends = math.floor(edge.now() + 0.5) + SECONDS
            edge.sh("while [ $(date +%%s) -lt %d ]; do curl -s -Z"
                .. " --parallel-max 4 -K '%s/crowd' >/dev/null 2>&1; done",
                ends, edge.dir)
            -- What the last began may take a part of a second more; of eight
            -- workers on two cores some wait for their turn.
            return edge.seen(),
                edge.densest(row.waits and workers < 8 and 1 or 0.95),
                edge.now() - ends + SECONDS
        end

        -- While this limit is RATE.
        local function is_kept(key, field)
            edge.redis("hset %s %s %d", key, field, RATE)
            edge.sleep(0.6)
            local all, most, took = crowd()
            edge.redis("hdel %s %s", key, field)
            assert.is_true(most <= row.most, most .. " within a second")
            assert.is_true(all >= row.least * 0.95, all .. " in all")
            assert.is_true(all <= RATE * (math.ceil(took) + 1), all
                .. " in " .. took .. " s")
        end

        of(is_kept)
    end)
end

for number, row in ipairs(ALGORITHMS) do
    local product = "94" .. number

    for _, workers in ipairs { 1, 8 } do
        describe_on(workers, row, product, function(is_kept)
            it("passes a product's rate, in any second across their borders"
                .. " too", function()
                    is_kept("seckill:limits:product:" .. product, "qps")
                end)
        end)
    end

    describe_on(4, row, product, function(is_kept)
        it("passes the node's rate", function()
            is_kept("seckill:limits", "edge.global_qps")
        end)

        it("passes an address's rate", function()
            is_kept("seckill:limits", "edge.address_qps")
        end)

        it("refuses a user's calls beyond twenty at once", function()
            edge.sleep(1.1)
            local requests = {}
            for i = 1, 60 do
                requests[i] = { "GET", "/seckill/flash/sale/result?productId="
                    .. product, "caller" }
            end
            local began_at = edge.now()
            local count = edge.flood(requests, 20)
            local most = row.calls
                + (row.per_second or 0) * (edge.now() - began_at)
            assert.is_true(count[200] >= 4 and count[200] <= most, count[200])
            assert.equal(60, count[200] + count[429])
        end)
    end)
end
