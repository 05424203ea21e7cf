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
            requests[i] = { "POST", DEDUCT, "bought" }
        end
        assert.same({ [409] = 200 }, edge.flood(requests, 1))
    end)

    it("limits one user's polls to 20 in a second", function()
        local requests = {}
        for i = 1, 100 do
            requests[i] = { "GET",
                "/seckill/flash/sale/result?productId=518", "poller" }
        end
        local started = os.time()
        local count = edge.flood(requests, 10)
        local windows = os.time() - started + 1
        assert.is_true(count[200] >= 20 and count[200] <= 20 * windows)
        assert.equal(100 - count[200], count[429])
    end)
end)
