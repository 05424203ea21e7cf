-- What an attempt runs is compiled: LuaJIT gives up no trace of it again and
-- again. A trace that is given up once or twice is begun elsewhere the next
-- time; one that always is runs interpreted, at ten times the price.

local edge = require "edge"

describe("the path of an attempt", function()
    -- LuaJIT tries a place some eleven times before it never does again, and
    -- an exit of another trace four times. No exit may be given up where
    -- attempts are decided; where they are admitted, some are.
    local REPEATS, REPEATS_OF_EXITS = 4, 5

    -- Where a trace begins is partly LuaJIT's chance, and now and then an exit
    -- of one is given up by it; what the code does wrong comes at each start.
    local STARTS = 3

    local function start()
        edge.start("SECKILL_WORKERS=1", true)
        edge.start_redis()
        edge.redis("hset seckill:limits edge.global_qps 1000000")
        edge.redis("hset seckill:limits:product:518 qps 1000000")
        edge.redis("hset seckill:limits:product:524 qps 0")
        edge.redis("hset seckill:limits:product:525 qps 1")
        edge.sale("518", {}, 100000)
        edge.sale("519", { sold_out = 1 })
        edge.sale("520", { start_at_ms = edge.now_ms() + 600000 })
        edge.sale("521", { end_at_ms = edge.now_ms() - 500 })
        edge.sale("522", {}, 0)
        edge.sale("524")
        edge.sale("525", {}, 100000)
        edge.http("GET", "/aborts", { base = edge.internal })
    end
    after_each(edge.stop)

    -- Traces given up time and again, as one text.
    local function repeating()
        local _, _, counts = edge.http("GET", "/aborts",
            { base = edge.internal })
        local lines = {}
        for key, count in pairs(counts) do
            if count >= (key:find("^set") and REPEATS or REPEATS_OF_EXITS) then
                lines[#lines + 1] = count .. " x " .. key
            end
        end
        table.sort(lines)
        return table.concat(lines, "\n")
    end

    -- Attempts for a product, each of a user of its own or of a few.
    local function load(product, users, count)
        local requests = {}
        for i = 1, count do
            requests[i] = { "POST", "/seckill/flash/sale/deduct?productId="
                .. product, users .. i % (users == "few" and 5 or 1e9) }
        end
        return edge.flood(requests, 8)
    end

    local function load_all()
        for round = 1, 2 do
            local new = "new" .. ("x"):rep(round)
            -- while a lease is fetched, others are told to come again
            assert.is_true(load("518", new, 400)[202] > 200)
            assert.is_true(load("518", "beaten" .. round, 200)[409] > 100)
            for product, status in pairs { [519] = 409, [520] = 409,
                    [521] = 410, [522] = 429, [523] = 404, [524] = 503 } do
                for _, users in ipairs { new, "few" } do
                    assert.equal(300, load(product, users, 300)[status])
                end
            end
            assert.is_true(load("525", new, 400)[429] > 300)
        end
    end

    it("gives up no trace again and again, refused or passed", function()
        local given_up
        for _ = 1, STARTS do
            start()
            load_all()
            given_up = repeating()
            if given_up == "" then
                break
            end
            edge.stop()
        end
        assert.equal("", given_up)
    end)

    it("would be seen to do so", function()
        start()
        edge.http("GET", "/closures", { base = edge.internal })
        assert.not_equal("", repeating())
    end)
end)
