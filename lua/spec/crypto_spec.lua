local crypto = require "seckill.request.crypto"
local ffi = require "ffi"

local function bytes(hex)
    return (hex:gsub("%x%x", function(pair)
        return string.char(tonumber(pair, 16))
    end))
end

describe("HMAC-SHA256", function()
    -- RFC 4231, test cases 1, 2, 3, 6 and 7.
    local VECTORS = {
        { ("0b"):rep(20), "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b"
            .. "881dc200c9833da726e9376c2e32cff7" },
        { "4a656665", "7768617420646f2079612077616e7420666f72206e6f"
            .. "7468696e673f",
            "5bdcc146bf60754e6a042426089575c7"
            .. "5a003f089d2739839dec58b964ec3843" },
        { ("aa"):rep(20), ("dd"):rep(50),
            "773ea91e36800e46854db8ebd09181a7"
            .. "2959098b3ef8c122d9635514ced565fe" },
        { ("aa"):rep(131), "54657374205573696e67204c6172676572205468616e"
            .. "20426c6f636b2d53697a65204b6579202d2048617368204b6579204669"
            .. "727374",
            "60e431591ee0b67f0d8a26aacbf5b77f"
            .. "8e0bc6213728c5140546040f0ee37f54" },
    }

    it("gives the digests of RFC 4231", function()
        for _, vector in ipairs(VECTORS) do
            assert.equal(vector[3],
                crypto.hmac_hex(bytes(vector[1]), bytes(vector[2])))
        end
    end)

    it("gives the signature of RFC 7515 appendix A.1", function()
        local key = crypto.decode_base64url("AyM1SysPpbyDfgZld3umj1qzKObwVM"
            .. "koqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        assert.equal(64, #key)
        assert.equal("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            crypto.hmac_base64url(key, "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI"
            .. "1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dH"
            .. "A6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"))
    end)
end)

describe("a signed text", function()
    local function signed(key, text)
        return text .. "." .. crypto.hmac_base64url(key, text)
    end

    it("is so by keys and texts of every length", function()
        for length = 0, 300 do
            local text = signed(("k"):rep(length), ("t"):rep(length))
            assert.is_true(crypto.is_signed(("k"):rep(length), text))
            assert.is_false(crypto.is_signed(("k"):rep(length) .. "x", text))
        end
    end)

    it("is not with any byte flipped, cut or added", function()
        local text = signed("key", "header.payload")
        for at = 1, #text do
            local other = text:sub(at, at) == "B" and "C" or "B"
            assert.equal(at == 15, crypto.is_signed("key",
                text:sub(1, at - 1) .. other .. text:sub(at + 1)), at)
            assert.is_false(crypto.is_signed("key", text:sub(1, at - 1)))
        end
        assert.is_false(crypto.is_signed("key", text .. "A"))
    end)

    it("has no unused bit set", function()
        local text = signed("key", "text")
        local last = text:byte(-1)
        local same = 0
        for byte = 0, 255 do
            if crypto.is_signed("key", text:sub(1, -2) .. string.char(byte))
            then
                same = same + 1
                assert.equal(last, byte)
            end
        end
        assert.equal(1, same)
    end)
end)

describe("base64url", function()
    it("decodes every length of text", function()
        assert.equal("f", crypto.decode_base64url "Zg")
        assert.equal("fo", crypto.decode_base64url "Zm8")
        assert.equal("foo", crypto.decode_base64url "Zm9v")
        assert.equal("\251\255", crypto.decode_base64url "-_8")
        assert.equal("fo", ffi.string(
            crypto.bytes_of_base64url(".Zm8.", 2, 4)))
    end)

    it("refuses padding, blanks, the other alphabet and bad lengths",
        function()
            for _, text in ipairs { "", "Zg==", "Zm9v\n", " Zm9v", "+/8A",
                    "Zm9vY", "Zm9v.", "Z\0g" } do
                assert.is_nil(crypto.decode_base64url(text))
            end
        end)
end)

describe("equal", function()
    it("tells equal texts from others of any length", function()
        assert.is_true(crypto.equal("abc", "abc"))
        assert.is_true(crypto.equal("", ""))
        for _, other in ipairs { "", "ab", "abd", "abcd", "Abc" } do
            assert.is_false(crypto.equal("abc", other))
        end
    end)

    -- Of a million bytes, or the clock would not tell.
    it("takes as long wherever the first difference is", function()
        local rest = ("a"):rep(1e6)
        local text, early, late = rest .. "a", "b" .. rest, rest .. "b"
        local function seconds(other)
            local best = math.huge
            for _ = 1, 20 do
                local from = os.clock()
                assert.is_false(crypto.equal(text, other))
                best = math.min(best, os.clock() - from)
            end
            return best
        end
        local ratio = seconds(early) / seconds(late)
        assert.is_true(ratio > 0.5 and ratio < 2, ratio)
    end)
end)
