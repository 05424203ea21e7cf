-- What one user may do at once.

local crypto = require "seckill.request.crypto"
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

    -- What bytes an attempt with this token gets, but for its date and id.
    local function bytes_of(product, token)
        return (edge.sh("curl -s -i -X POST -H 'Authorization: Bearer %s'"
            .. " '%s/seckill/flash/sale/deduct?productId=%s'", token,
            edge.url, product):gsub("Date: [^\r]+", "")
            :gsub("X%-Request%-Id: [^\r]+", ""))
    end

    it("tells nobody by a bad token who may hold a unit", function()
        edge.sale("521")
        assert.equal(202, (edge.buy("521", "holder")))
        edge.redis("hset seckill:sale:521 sold_out 1")
        assert.is_true(edge.within(1, function()
            return edge.buy("521", edge.stranger()) == 409
        end))
        edge.seen()
        local told = bytes_of("521", edge.token(edge.stranger()))
        assert.matches("SOLD_OUT", told, 1, true)
        for _, user in ipairs { "holder", edge.stranger() } do
            local good = edge.token(user)
            for _, token in ipairs { good .. "x", good:sub(1, -2),
                    edge.token(user, {}, nil, edge.OLD_SECRET),
                    edge.token(user, { exp = os.time() - 1 }),
                    edge.token(user, {}, { alg = "none", kid = "k2" }),
                    edge.token(user, {}, { alg = "HS256", kid = "k3" }) } do
                assert.equal(told, bytes_of("521", token))
            end
        end
        assert.equal(0, edge.seen())
        assert.equal(202, (edge.buy("521", "holder")))
        assert.equal(1, edge.seen())
    end)

    it("finds a holder however the token's claims are written", function()
        local expires = os.time() + 600
        for _, claims in ipairs { '{ "sub" : "holder", "iat": 1, "exp": %d }',
                '{"sub":"hol\\u0064er","iat":1,"exp":%d}',
                '{"a":{"sub":"x"},"sub":"holder","iat":1,"exp":%d}' } do
            local signed = edge.base64url('{"alg":"HS256","kid":"k2"}')
                .. "." .. edge.base64url(claims:format(expires))
            edge.seen()
            assert.matches("ACCEPTED", bytes_of("521", signed .. "."
                .. crypto.hmac_base64url(edge.SECRET, signed)), 1, true)
            assert.equal(1, edge.seen())
        end
    end)
end)
