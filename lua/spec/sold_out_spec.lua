-- Sold out and back: heard within 100 ms, and closed by no late word. The
-- scripts that say so are shard-store's; here they are played by hand.

local edge = require "edge"

describe("the word that a sale is sold out", function()
    setup(function()
        edge.start()
        edge.start_redis()
    end)
    teardown(edge.stop)

    local function say(product, sold_out, version)
        edge.redis_all {
            { "HSET", "seckill:sale:" .. product, "sold_out", sold_out,
                "stock_version", version },
            { "XADD", "seckill:sale-changes", "*", "product_id", product },
        }
    end

    local function is_sold_out(product)
        local _, _, sale = edge.http("GET", "/seckill/sales/" .. product)
        return sale.soldOut
    end

    -- Milliseconds until the edge says so.
    local function ms_until(product, sold_out)
        local from = edge.now_ms()
        assert.is_true(edge.within(1, function()
            return is_sold_out(product) == sold_out
        end))
        return edge.now_ms() - from
    end

    it("is heard by every worker within 100 ms, and so is that it is not",
        function()
            edge.sale("1201")
            local version = 0
            -- The client's own time is in it, which is long where others
            -- work: half of ten, in one of three turns.
            local function median()
                local waits = {}
                for i = 1, 10 do
                    version = version + 1
                    say("1201", i % 2, version)
                    waits[i] = ms_until("1201", i % 2 == 1)
                end
                table.sort(waits)
                return waits[5]
            end
            local best = math.min(median(), median(), median())
            assert.is_true(best <= 100, best .. " ms")
        end)

    it("closes nothing where units came after the attempt was sent",
        function()
            edge.sale("1202")
            local pid = edge.sh("curl -s -o /dev/null -X POST -H"
                .. " 'Authorization: Bearer %s'"
                .. " '%s/seckill/flash/sale/deduct?productId=1202'"
                .. " >/dev/null 2>&1 & echo $!", edge.token("slowlast"),
                edge.url)
            edge.sh("sleep 0.1")
            say("1202", "0", 1)
            edge.within(3, function()
                return edge.sh("kill -0 %d 2>&1", tonumber(pid)) ~= ""
            end)
            assert.is_false(is_sold_out("1202"))
        end)

    it("closes where none came meanwhile, for a second", function()
        edge.sale("1203")
        assert.equal(409, (edge.buy("1203", "last")))
        assert.is_true(is_sold_out("1203"))
    end)

    it("is forgotten at once when units come", function()
        edge.sale("1204")
        assert.equal(409, (edge.buy("1204", "last")))
        say("1204", "0", 7)
        assert.is_true(edge.within(0.5, function()
            return not is_sold_out("1204")
        end))
    end)

    -- A product for each: what was said of the one before is believed for a
    -- second, and would refuse the attempt that is to say it again.
    it("of a version that is none is that of version 0", function()
        for i, version in ipairs { "", "-1", "1e3", ("9"):rep(16) } do
            local product = "121" .. i
            edge.sale(product, { stock_version = version })
            assert.equal(409, (edge.buy(product, "last")))
            assert.is_true(is_sold_out(product))
            say(product, "0", 5)
            assert.is_true(edge.within(0.5, function()
                return not is_sold_out(product)
            end))
        end
    end)

    it("is found by the next poll where the list of changes is no list",
        function()
            edge.sale("1206")
            edge.redis_all {
                { "DEL", "seckill:sale-changes" },
                { "SET", "seckill:sale-changes", "nonsense" },
                { "HSET", "seckill:sale:1206", "sold_out", "1" },
            }
            assert.is_true(ms_until("1206", true) <= 1000)
            edge.redis_all { { "DEL", "seckill:sale-changes" } }
        end)
end)
