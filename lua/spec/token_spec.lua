local crypto = require "seckill.request.crypto"
local edge = require "edge"
local tokens = require "seckill.request.token"

describe("a token", function()
    local KEYS = { edge.SECRET, edge.OLD_SECRET,
        k2 = edge.SECRET, k1 = edge.OLD_SECRET }
    local now = os.time()

    local function user_of(token)
        return (tokens.verify(token, KEYS, now))
    end

    local function with(claims, header, secret)
        return user_of(edge.token("alice", claims, header, secret))
    end

    it("names its user until it expires", function()
        local user, expires = tokens.verify(edge.token("a.b@c-d_1"), KEYS,
            now)
        assert.equal("a.b@c-d_1", user)
        assert.is_true(expires > now and expires <= now + 601)
    end)

    it("may be signed with either key of a rotation", function()
        local old = { alg = "HS256", kid = "k1" }
        assert.equal("alice", with({}, old, edge.OLD_SECRET))
        assert.is_nil(with({}, old, edge.SECRET))
    end)

    it("of another algorithm is refused, signed or not", function()
        for _, alg in ipairs { "none", "None", "NONE", "RS256", "HS384",
                "HS512", "hs256", "", false, 256 } do
            assert.is_nil(with({}, { alg = alg, kid = "k2" }))
        end
        assert.is_nil(with({}, { kid = "k2" }))
        local unsigned = edge.token("alice", {},
            { alg = "none", kid = "k2" }):gsub("[^.]*$", "")
        assert.is_nil(user_of(unsigned))
    end)

    it("of an unknown, hostile or missing key id is refused", function()
        for _, kid in ipairs { "k3", "", "../../keys", "1", 1, true,
                { "k2" } } do
            assert.is_nil(with({}, { alg = "HS256", kid = kid }))
        end
        assert.is_nil(with({}, { alg = "HS256" }))
    end)

    it("with an extension it calls critical is refused", function()
        assert.is_nil(with({},
            { alg = "HS256", kid = "k2", crit = { "exp" } }))
    end)

    it("expired, without end or not yet valid is refused", function()
        assert.is_nil(with { exp = now })
        assert.is_nil(with { exp = now - 1 })
        assert.is_nil(with { exp = "9999999999" })
        assert.is_nil(with { exp = 1e300 })
        assert.is_nil(with { exp = false })
        assert.is_nil(with { iat = "now" })
        assert.is_nil(with { nbf = now + 60 })
        assert.equal("alice", with { nbf = now - 60 })
        assert.equal("alice", with { exp = now + 1 })
    end)

    it("without a proper user is refused", function()
        for _, sub in ipairs { "", "a b", "a|b", "ä", "a\n", ("u"):rep(65),
                7, false, { "alice" } } do
            assert.is_nil(with { sub = sub })
        end
        assert.equal(("u"):rep(64), with { sub = ("u"):rep(64) })
    end)

    it("with any flipped character is refused", function()
        local token = edge.token("alice")
        for at = 1, #token do
            local was = token:sub(at, at)
            local other = was == "A" and "B" or "A"
            assert.is_nil(user_of(
                token:sub(1, at - 1) .. other .. token:sub(at + 1)))
        end
    end)

    it("with another's payload under its signature is refused", function()
        local header, _, signature =
            edge.token("alice"):match("([^.]+)%.([^.]+)%.([^.]+)")
        local payload = edge.token("mallory"):match("%.([^.]+)%.")
        assert.is_nil(user_of(header .. "." .. payload .. "." .. signature))
    end)

    it("of a wrong shape is refused", function()
        local token = edge.token("alice")
        for _, text in ipairs { "", ".", "..", "a.b", "a.b.c.d",
                token .. ".", "." .. token, token .. "=", token .. " ",
                token:gsub("%.[^.]*$", "."), "%00." .. token } do
            assert.is_nil(user_of(text))
        end
    end)

    it("whose signed payload is not a JSON object is refused", function()
        local header = edge.token("alice"):match("^[^.]+")
        for _, payload in ipairs { "bnVsbA", "MTI", "IngiOg", "W10", "e30",
                "____" } do
            local signed = header .. "." .. payload
            assert.is_nil(user_of(signed .. "."
                .. crypto.hmac_base64url(edge.SECRET, signed)))
        end
    end)

    it("of more than 4 kB is refused, however well signed", function()
        assert.is_nil(with { note = ("x"):rep(4096) })
        assert.equal("alice", with { note = ("x"):rep(2048) })
    end)
end)
