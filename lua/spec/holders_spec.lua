-- Who is let through to the shards although a sale is sold out: who may hold a
-- unit, and, after a start, who is asked for because nothing is known of him.

local edge = require "edge"

describe("of a sale that is sold out the edge", function()
    setup(function()
        edge.start()
        edge.start_redis()
    end)
    teardown(edge.stop)

    local function sell_out(product)
        edge.redis("hset seckill:sale:%s sold_out 1", product)
        assert.is_true(edge.within(1, function()
            local _, _, sale = edge.http("GET", "/seckill/sales/" .. product)
            return sale.soldOut
        end))
        edge.seen()
    end

    -- Whether the attempt was sent on, and the code of its answer.
    local function try(product, user)
        edge.seen()
        local _, _, body = edge.buy(product, user)
        return edge.seen() == 1, body.code, body.message
    end

    it("lets through whose attempt was accepted, is held or is unknown",
        function()
            edge.sale("651")
            for _, user in ipairs { "a", "bought", "broken", "unknown" } do
                edge.buy("651", user)
            end
            sell_out "651"
            for _, user in ipairs { "a", "bought", "broken", "unknown" } do
                assert.is_true((try("651", user)), user)
            end
        end)

    it("lets nobody through whose attempt took nothing", function()
        edge.sale("652")
        for _, user in ipairs { "busy", "beaten" } do
            assert.is_true((try("652", user)))
        end
        edge.kill(edge.next_pid)
        assert.equal(503, (edge.buy("652", "unsent")))
        edge.start_nginx("next", "upstream.conf", function()
            return edge.seen() ~= nil
        end)
        sell_out "652"
        for _, user in ipairs { "busy", "beaten", "unsent" } do
            local is_sent, code = try("652", user)
            assert.is_false(is_sent, user)
            assert.equal("SOLD_OUT", code)
        end
    end)

    it("that began with it on asks for nobody it has not seen", function()
        edge.sale("653")
        sell_out "653"
        assert.is_false((try("653", "bought")))
        edge.sh("kill -HUP %d; sleep 0.5", edge.edge_pid)
        assert.is_false((try("653", "bought")))
    end)

    describe("that was started meanwhile", function()
        setup(function()
            edge.sale("654", { start_at_ms = edge.now_ms() - 5000 })
            sell_out "654"
            edge.redis("hset seckill:quota:654 total 0")
            edge.stop_edge()
            edge.start_edge()
            assert.is_true(edge.within(2, function()
                return edge.http("GET", "/health",
                    { base = edge.internal }) == 200
            end))
            edge.sleep(1.1)  -- this second was given to the one before
        end)

        it("asks for a user once, and again while he holds a unit", function()
            local is_sent, code = try("654", "bought")
            assert.is_true(is_sent)
            assert.equal("ALREADY_BOUGHT", code)
            assert.is_true((try("654", "bought")))
            assert.is_true((try("654", "beaten")))
            local message
            is_sent, code, message = try("654", "beaten")
            assert.is_false(is_sent)
            assert.equal("SOLD_OUT", code)
            assert.equal("Sold out", message)
        end)

        it("asks once more where nobody could tell", function()
            assert.is_true((try("654", "busy")))
            assert.is_true((try("654", "busy")))
        end)

        it("asks for nobody whose token is bad", function()
            edge.seen()
            local _, _, body = edge.http("POST",
                "/seckill/flash/sale/deduct?productId=654",
                { token = edge.token("bought", {}, nil, edge.OLD_SECRET) })
            assert.equal("SOLD_OUT", body.code)
            assert.equal(0, edge.seen())
        end)

        it("asks for so many a second, and tells others of the result",
            function()
                local requests = {}
                for i = 1, 1000 do
                    requests[i] = { "POST", "/seckill/flash/sale/deduct"
                        .. "?productId=654", "beaten" .. i }
                end
                edge.seen()
                local began = edge.now()
                assert.same({ [409] = 1000 }, edge.flood(requests, 8))
                local seconds = math.ceil(edge.now() - began) + 1
                local seen = edge.seen()
                assert.is_true(seen >= 40 and seen <= 50 * seconds, seen)
                assert.is_true(edge.within(3, function()
                    edge.flood(requests, 8)
                    local is_sent, _, message =
                        try("654", edge.stranger())
                    return not is_sent
                        and message:find("/seckill/flash/sale/result", 1, true)
                end))
            end)

        it("asks for nobody in a sale that began later", function()
            edge.sale("655")
            sell_out "655"
            assert.is_false((try("655", "bought")))
        end)
    end)
end)
