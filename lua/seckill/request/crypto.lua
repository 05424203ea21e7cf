-- HMAC-SHA256, base64url and a constant-time compare, all by libcrypto.
-- nginx has libcrypto linked in; a plain LuaJIT (unit tests) loads it.

local ffi = require "ffi"

ffi.cdef [[
const void *EVP_sha256(void);
unsigned char *HMAC(const void *md, const void *key, int key_len,
    const unsigned char *data, size_t data_len,
    unsigned char *out, unsigned int *out_len);
int CRYPTO_memcmp(const void *a, const void *b, size_t len);
int EVP_EncodeBlock(unsigned char *to, const unsigned char *from, int n);
int EVP_DecodeBlock(unsigned char *to, const unsigned char *from, int n);
]]

local linked = pcall(function() return ffi.C.HMAC end)
local C = linked and ffi.C or ffi.load("libcrypto.so.3")

local MAC_BYTES = 32
local mac = ffi.new("unsigned char[?]", MAC_BYTES)
local mac_text = ffi.new("unsigned char[?]", 48)
local URL_SAFE = { ["+"] = "-", ["/"] = "_" }
local PLAIN = { ["-"] = "+", ["_"] = "/" }

local _M = {}

local function sign(key, text)
    C.HMAC(C.EVP_sha256(), key, #key, text, #text, mac, nil)
end

-- 64 lower-case hex digits.
function _M.hmac_hex(key, text)
    sign(key, text)
    return (ffi.string(mac, MAC_BYTES):gsub(".", function(byte)
        return ("%02x"):format(byte:byte())
    end))
end

-- 43 characters of base64url without padding, as a JWT carries it.
function _M.hmac_base64url(key, text)
    sign(key, text)
    local len = C.EVP_EncodeBlock(mac_text, mac, MAC_BYTES)
    local padded = ffi.string(mac_text, len)
    return (padded:gsub("[+/]", URL_SAFE):gsub("=", ""))
end

-- The bytes, or nil when the text is not unpadded base64url.
function _M.decode_base64url(text)
    if #text % 4 == 1 or not text:find("^[%w_-]+$") then
        return nil
    end
    local missing = -#text % 4
    local plain = text:gsub("[-_]", PLAIN) .. ("="):rep(missing)
    local bytes = ffi.new("unsigned char[?]", #plain)
    local len = C.EVP_DecodeBlock(bytes, plain, #plain)
    return len >= 0 and ffi.string(bytes, len - missing) or nil
end

-- Takes the same time wherever the first difference is.
function _M.equal(a, b)
    return #a == #b and C.CRYPTO_memcmp(a, b, #a) == 0
end

return _M
