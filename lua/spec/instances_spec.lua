-- Several instances of a service: an attempt reaches one that lives, and only
-- one.

local balance = require "balance"
local edge = require "edge"

local NOBODY = edge.port + 8  -- both of the third node, which is not started

local function start(hosts, ...)
    edge.start("SECKILL_FLASH_SALE_HOST='" .. hosts:format(...) .. "'")
    edge.start_redis()
    for _, product in ipairs { "771", "772" } do
        edge.sale(product, {}, 1000)
    end
    edge.sleep(0.6)
    edge.seen()
end

describe("of several instances of a service", function()
    setup(function()
        start("127.0.0.1:%d 127.0.0.1 127.0.0.1:%d", NOBODY, NOBODY - 1)
    end)
    teardown(edge.stop)

    it("one that is away is passed over, and each attempt sent once",
        function()
            assert.same({ [202] = 120 },
                edge.flood(edge.attempts("771", 120), 4))
            assert.equal(120, edge.seen())
        end)

    it("one that was sent an attempt and says nothing is the only one",
        function()
            for i = 1, 4 do
                local status, _, body = edge.buy("771", "hang" .. i)
                assert.equal(503, status)
                assert.equal("BUSY", body.code)
                assert.equal(503, (edge.buy("771", "broken" .. i)))
                assert.equal(202, (edge.buy("771", edge.stranger())))
            end
            assert.equal(12, edge.seen())
        end)

    it("the second's silence is unknown, though the first was not asked",
        function()
            for i = 1, 6 do
                assert.equal(503, (edge.buy("772", "broken" .. i)))
                assert.equal(202, (edge.buy("772", edge.stranger())))
            end
            edge.redis("hset seckill:sale:772 sold_out 1")
            edge.sleep(1.1)
            edge.seen()
            for i = 1, 6 do
                assert.equal(503, (edge.buy("772", "broken" .. i)))
                assert.equal(202, (edge.buy("771", edge.stranger())))
            end
            assert.equal(12, edge.seen())
        end)

    it("none leaves anything open", function()
        assert.equal("", balance.unbalanced())
    end)
end)

describe("of two instances of a service", function()
    setup(function()
        start("127.0.0.1 127.0.0.1:%d", edge.port + 3)
    end)
    teardown(edge.stop)

    it("one that hangs has its share and no more", function()
        local count = edge.crowd("771", "half", 60, 60)
        assert.is_true(math.abs(count[202] - 30) <= 2, count[202] .. " of 60")
        assert.equal(60, edge.seen())
    end)
end)
