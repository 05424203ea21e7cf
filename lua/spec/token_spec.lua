local cjson = require "cjson"
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

    it("of another issuer than the shop is refused", function()
        for _, iss in ipairs { "other", "", "Shop", "shop ", 7, false,
                { "shop" }, cjson.null } do
            assert.is_nil(with { iss = iss })
        end
        assert.equal("alice", with { iss = "shop" })
        assert.equal("alice", with {})
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

    local base64url = edge.base64url

    local function of_text(payload)
        local signed = base64url('{"alg":"HS256","kid":"k2"}') .. "."
            .. base64url(payload)
        return signed .. "." .. crypto.hmac_base64url(edge.SECRET, signed)
    end

    -- What each way to write claims makes of the user; false: refused.
    local WAYS = {
        { '{"sub":"alice","iat":1,"exp":9999999999}', "alice" },
        { '{"exp":9999999999,"role":"buyer","iat":0,"sub":"alice"}', "alice" },
        { '{ "sub" : "alice", "iat" : 1, "exp" : 9999999999 }', "alice" },
        { '{"sub":"\\u0061lice","iat":1,"exp":9999999999}', "alice" },
        { '{"s\\u0075b":"alice","iat":1,"exp":9999999999}', "alice" },
        { '{"x":{"sub":"bob"},"sub":"alice","iat":1,"exp":9999999999}',
            "alice" },
        { '{"x":"sub","sub":"alice","iat":1,"exp":9999999999}', "alice" },
        { '{"sub":"bob","sub":"alice","iat":1,"exp":9999999999}', "alice" },
        { '{"sub":"alice","iat":1.5,"exp":1e11}', "alice" },
        { '{"sub":"alice","iat":1,"exp":9999999999}x', false },
        { '{"sub":"alice","iat":1,"exp":9999999999', false },
        { '{"sub":"alice","iat":1,"exp":9999999999,}', false },
        { '{"sub":"alice","iat":1,"exp":nan}', false },
        { '{"sub":"alice","iat":1,"exp":"9999999999"}', false },
        { '{"sub":"alice","iat":1,"exp":}', false },
        { '{"sub":alice,"iat":1,"exp":9999999999}', false },
        { '{"sub":"al\nice","iat":1,"exp":9999999999}', false },
        { '{"sub":"alice","role":"","iat":1,"exp":9999999999}', false },
        { '{"sub":"alice" "iat":1,"exp":9999999999}', false },
        { '{"iss":"shop","sub":"alice","iat":1,"exp":9999999999}', "alice" },
        { '{"iss":"other","sub":"alice","iat":1,"exp":9999999999}', false },
        { '{"iss":"","sub":"alice","iat":1,"exp":9999999999}', false },
        { '["sub","alice"]', false },
        { '{', false },
        { '{"', false },
        { '{"sub', false },
        { '{"sub"', false },
        { '{"sub":', false },
        { '{"sub":"', false },
        { '{"sub":"alice"', false },
        { '{"iat":1', false },
        { '{"exp":01,"sub":"alice","iat":1}', false },
        { '{"exp":999999999999999,"sub":"alice","iat":1}', false },
    }

    it("means the same however its claims are written", function()
        for _, way in ipairs(WAYS) do
            assert.equal(way[2], user_of(of_text(way[1])) or false, way[1])
        end
    end)

    it("claims whom it names, or says that it must be verified", function()
        local untold = 0
        for _, way in ipairs(WAYS) do
            local claimed = tokens.claimed(of_text(way[1]))
            untold = untold + (claimed == nil and 1 or 0)
            if claimed and way[2] then
                assert.equal(way[2], claimed, way[1])
            end
        end
        assert.equal(10, untold)
        for _, text in ipairs { "", "a.b", "a.b.c.d", "..", "a.%%.c",
                "a." .. base64url "{}" .. ".c",
                "a." .. base64url '{"sub":"x' .. ".c",
                ("a"):rep(4000) .. "." .. ("a"):rep(96) .. ".c" } do
            assert.equal("", tokens.claimed(text))
        end
    end)

    it("is refused each time it is shown with a wrong signature", function()
        local good = of_text '{"sub":"alice","iat":1,"exp":9999999999}'
        local unsigned = base64url('{"alg":"none","kid":"k2"}')
            .. good:match("%..*")
        local forged = good:sub(1, -2) .. (good:sub(-1) == "A" and "E" or "A")
        for _ = 1, 3 do
            assert.is_nil(user_of(unsigned))
            assert.is_nil(user_of(forged))
            assert.equal("alice", user_of(good))
        end
    end)
end)
