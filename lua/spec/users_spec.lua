-- What one user may do at once.

local edge = require "edge"

describe("the edge to one user", function()
    local DEDUCT = "/seckill/flash/sale/deduct?productId=518"

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("518")
    end)
    teardown(edge.stop)
    before_each(edge.seen)

    it("lets one of a user's parallel attempts pass", function()
        local requests = {}
        for i = 1, 20 do
            requests[i] = { "POST", DEDUCT, "slow" }
        end
        local count = edge.flood(requests, 20)
        assert.equal(1, count[202])
        assert.equal(19, count[429])
        assert.equal(1, edge.seen())
    end)

    it("has let go of an attempt before its answer can be read", function()
        local requests = {}
        for i = 1, 200 do
            requests[i] = { "POST", DEDUCT, "beaten" }
        end
        assert.same({ [409] = 200 }, edge.flood(requests, 1))
    end)

    it("lets who may hold a unit through to the shard when sold out", function()
        edge.sale("519")
        assert.equal(202, (edge.buy("519", "holder")))
        assert.equal(409, (edge.buy("519", "bought")))
        assert.equal(503, (edge.buy("519", "broken")))
        edge.redis("hset seckill:sale:519 sold_out 1")
        assert.is_true(edge.within(1, function()
            return edge.buy("519", edge.stranger()) == 409
        end))
        edge.redis("hset seckill:quota:519 total 0")
        edge.seen()
        assert.equal(202, (edge.buy("519", "holder")))
        assert.equal(409, (edge.buy("519", "bought")))
        assert.equal(503, (edge.buy("519", "broken")))
        assert.equal(3, edge.seen())
        assert.equal(409, (edge.buy("519", edge.stranger())))
        assert.equal(0, edge.seen())
    end)

    it("forgets a holder when a shard says that nothing is held", function()
        edge.sale("520")
        assert.equal(503, (edge.buy("520", "broken")))
        assert.equal(409, (edge.buy("520", "beaten")))
        edge.redis("hset seckill:sale:520 sold_out 1")
        assert.is_true(edge.within(1, function()
            return edge.buy("520", edge.stranger()) == 409
        end))
        edge.seen()
        assert.equal(409, (edge.buy("520", "beaten")))
        assert.equal(0, edge.seen())
    end)
end)
