-- What a refusal costs where workers meet: the operations on shared dicts.

local edge = require "edge"

describe("a sold-out refusal", function()
    local MOST = 2
    local CROWD = 12

    setup(function()
        edge.start("SECKILL_WORKERS=1", true)
        edge.start_redis()
        -- later than the node: nobody bought whom it does not know
        edge.sale("518", { sold_out = 1 })
        edge.sale("519")
        edge.sale("520")
    end)
    teardown(edge.stop)

    local function operations()
        return edge.sh("curl -s %s/operations", edge.internal)
    end

    -- The operations of so many attempts of a product, sent in one piece, so
    -- that a turn or two of the worker's loop answer them all; and how many
    -- turns that took, for each looks at the version once and at the flag.
    local function cost(product, count, user)
        local one = "POST /seckill/flash/sale/deduct?productId=" .. product
            .. " HTTP/1.1\\r\\nHost: a\\r\\n" .. (user
                and "Authorization: Bearer " .. edge.token(user) .. "\\r\\n"
                or "") .. "\\r\\n"
        edge.raw(one, 0.1)  -- reads the sale, once per worker
        operations()
        local said = edge.raw(one:rep(count), 0.3)
        assert.equal(count, edge.count_of(said, '"SOLD_OUT"'))
        -- the first is of the look before
        local list = operations():gsub("^seckill_counters incr,", "")
        local turns = edge.count_of(list, "seckill_state get")
        assert.is_true(turns >= 1 and turns <= 4, list)
        local flags = edge.count_of(list, "seckill_sold_out get")
        assert.is_true(flags <= turns, list)
        return select(2, list:gsub("[^,]+", "")) - turns - flags, list
    end

    for name, user in pairs { ["with a token"] = "ann",
            ["without one"] = false } do
        it("takes two dict operations at most, " .. name, function()
            local count, list = cost("518", CROWD, user)
            assert.is_true(count >= CROWD and count <= MOST * CROWD, list)
        end)

        it("takes two where a service said so, " .. name, function()
            local product = user and "519" or "520"  -- believed for a second
            assert.equal(409, (edge.buy(product, "last")))
            local count, list = cost(product, CROWD, user)
            assert.is_true(count >= CROWD and count <= MOST * CROWD, list)
        end)
    end
end)
