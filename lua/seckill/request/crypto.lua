-- HMAC-SHA256 and a constant-time compare by libcrypto, and base64url. nginx
-- has libcrypto linked in; a plain LuaJIT (unit tests) loads it.

local bit = require "bit"
local ffi = require "ffi"

local band, bor = bit.band, bit.bor
local lshift, rshift = bit.lshift, bit.rshift

ffi.cdef [[
const void *EVP_sha256(void);
unsigned char *HMAC(const void *md, const void *key, int key_len,
    const unsigned char *data, size_t data_len,
    unsigned char *out, unsigned int *out_len);
int CRYPTO_memcmp(const void *a, const void *b, size_t len);
int EVP_EncodeBlock(unsigned char *to, const unsigned char *from, int n);
int SHA256_Init(void *state);
int SHA256_Update(void *state, const void *data, size_t len);
int SHA256_Final(unsigned char *out, void *state);
unsigned char *SHA256(const unsigned char *data, size_t len,
    unsigned char *out);
]]

local linked = pcall(function() return ffi.C.HMAC end)
local C = linked and ffi.C or ffi.load("libcrypto.so.3")

local MAC_BYTES = 32
local mac = ffi.new("unsigned char[?]", MAC_BYTES)
local mac_text = ffi.new("unsigned char[?]", 48)
local URL_SAFE = { ["+"] = "-", ["/"] = "_" }

local MAC_CHARACTERS = 43  -- of base64url
local BLOCK_BYTES = 64
-- libcrypto's SHA256_CTX: 112 bytes, in OpenSSL and BoringSSL alike.
local STATE = ffi.typeof "uint64_t[14]"
local STATE_BYTES = 112
local BYTES = ffi.typeof "const uint8_t *"

-- The value of each character of base64url, NONE for any other byte.
local NONE = 64
local VALUES = ffi.new("uint8_t[256]")
ffi.fill(VALUES, 256, NONE)
for i, first in ipairs { "A", "a", "0" } do
    for j = 0, i < 3 and 25 or 9 do
        VALUES[first:byte() + j] = 26 * (i - 1) + j
    end
end
VALUES[("-"):byte()], VALUES[("_"):byte()] = 62, 63

local running = STATE()
local told = ffi.new("uint8_t[?]", MAC_BYTES + 1)

local _M = { MAC_CHARACTERS = MAC_CHARACTERS }

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

-- Into bytes, the text of so many characters of base64url: how many bytes
-- these are, or nil when it is not unpadded base64url.
local function decode(text, length, bytes)
    local rest = length % 4
    if length == 0 or rest == 1 then
        return nil
    end
    local seen, at = 0, 0
    for i = 0, length - rest - 1, 4 do
        local a, b = VALUES[text[i]], VALUES[text[i + 1]]
        local c, d = VALUES[text[i + 2]], VALUES[text[i + 3]]
        seen = bor(seen, a, b, c, d)
        bytes[at] = bor(lshift(a, 2), rshift(b, 4))
        bytes[at + 1] = band(bor(lshift(b, 4), rshift(c, 2)), 255)
        bytes[at + 2] = band(bor(lshift(c, 6), d), 255)
        at = at + 3
    end
    if rest > 0 then
        local last = text + length - rest
        local a, b = VALUES[last[0]], VALUES[last[1]]
        local c = rest == 3 and VALUES[last[2]] or 0
        seen = bor(seen, a, b, c)
        bytes[at] = bor(lshift(a, 2), rshift(b, 4))
        bytes[at + 1] = band(bor(lshift(b, 4), rshift(c, 2)), 255)
        at = at + rest - 1
    end
    return seen < NONE and at or nil
end

local room, room_bytes = nil, 0

-- The bytes and how many, good until the next call; or nil when the text is
-- not unpadded base64url. from, to: which characters of the text.
function _M.bytes_of_base64url(text, from, to)
    local length = to - from + 1
    if length > room_bytes then
        room, room_bytes = ffi.new("uint8_t[?]", length), length
    end
    local count = decode(ffi.cast(BYTES, text) + from - 1, length, room)
    return count and room, count
end

-- The same as text.
function _M.decode_base64url(text)
    local bytes, count = _M.bytes_of_base64url(text, 1, #text)
    return bytes and ffi.string(bytes, count)
end

-- What HMAC makes of a key before any text: both of its states.
local function states_of(key)
    if #key > BLOCK_BYTES then
        key = ffi.string(C.SHA256(key, #key, mac), MAC_BYTES)
    end
    local states, block = {}, ffi.new("uint8_t[?]", BLOCK_BYTES)
    for i, pad in ipairs { 0x36, 0x5c } do
        ffi.fill(block, BLOCK_BYTES, pad)
        for j = 1, #key do
            block[j - 1] = bit.bxor(key:byte(j), pad)
        end
        states[i] = STATE()
        C.SHA256_Init(states[i])
        C.SHA256_Update(states[i], block, BLOCK_BYTES)
    end
    return states
end

-- Keys that have signed something, for good: those of the key file.
local states_by_key = {}

-- Do the last 43 characters of a text sign what stands before the dot before
-- them? Compared as bytes; unused bits are to be zero. No HMAC() of libcrypto:
-- it looks up its algorithm and pads its key anew each time, 3 of 4 us.
function _M.is_signed(key, text)
    local length = #text - MAC_CHARACTERS - 1
    local signature = ffi.cast(BYTES, text) + length + 1
    if length < 0 or not decode(signature, MAC_CHARACTERS, told)
            or band(VALUES[signature[MAC_CHARACTERS - 1]], 3) ~= 0 then
        return false
    end
    local states = states_by_key[key]
    if not states then
        states = states_of(key)
        states_by_key[key] = states
    end
    ffi.copy(running, states[1], STATE_BYTES)
    C.SHA256_Update(running, text, length)
    C.SHA256_Final(mac, running)
    ffi.copy(running, states[2], STATE_BYTES)
    C.SHA256_Update(running, mac, MAC_BYTES)
    C.SHA256_Final(mac, running)
    return C.CRYPTO_memcmp(mac, told, MAC_BYTES) == 0
end

-- Takes the same time wherever the first difference is.
function _M.equal(a, b)
    return #a == #b and C.CRYPTO_memcmp(a, b, #a) == 0
end

return _M
