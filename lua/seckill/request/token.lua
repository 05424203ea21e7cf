-- Who is asking: a JWT signed with HS256 and nothing else. Every fault has
-- the same outcome, nil, so that a forger learns nothing.

local cjson = require("cjson").new()
local crypto = require "seckill.request.crypto"
local ffi = require "ffi"

ffi.cdef [[
void *memchr(const void *bytes, int byte, size_t count);
void *memmem(const void *bytes, size_t count, const void *part, size_t size);
]]
local C = ffi.C
local BYTES = ffi.typeof "const uint8_t *"

local byte, find, sub = string.byte, string.find, string.sub

cjson.decode_invalid_numbers(false)

local MAX_TOKEN = 4096
local MAX_SECONDS = 1e12
local MAX_USER = 64

local ROLES = { buyer = true, ops = true }

local QUOTE, COLON, COMMA = byte '"', byte ":", byte ","
local OPEN, CLOSE, ESCAPE = byte "{", byte "}", byte "\\"
local ZERO = byte "0"
local CLAIMS = { sub = true, role = true, iat = true, exp = true, nbf = true }
local MAX_DIGITS = 14
local SUB = '"sub"'

local USER_SIGNS = {}
for sign in ("_.@-"):gmatch(".") do
    USER_SIGNS[byte(sign)] = true
end
for sign = 0, 127 do
    if string.char(sign):find("%w") then
        USER_SIGNS[sign] = true
    end
end

-- The key id by header part, of tokens whose signature was right: it is the
-- same for every token of a key. Only who holds a key can add one.
local MAX_HEADERS = 64
local kids, kid_count = {}, 0

local _M = {}

local function object(text)
    local ok, value = pcall(cjson.decode, text)
    return ok and type(value) == "table" and value or nil
end

-- The key id in the header. The algorithm is ours, never the token's choice;
-- an extension the header calls critical is one we do not know.
local function kid_of(part)
    local text = crypto.decode_base64url(part)
    local header = text and object(text)
    if not header or header.alg ~= "HS256" or header.crit ~= nil then
        return nil
    end
    return type(header.kid) == "string" and header.kid or nil
end

-- How far the quote is that ends a text at this place, or nil: it has none, or
-- an escape.
local function text_length(bytes, count)
    local closes = C.memchr(bytes, QUOTE, count)
    if closes == nil then
        return nil
    end
    local length = tonumber(ffi.cast(BYTES, closes) - bytes)
    return C.memchr(bytes, ESCAPE, length) == nil and length or nil
end

-- The whole number at a place and how many digits it has; or nil.
local function number_at(bytes, count)
    local number, digits = 0, 0
    while digits < count do
        local digit = bytes[digits] - ZERO
        if digit < 0 or digit > 9 then
            break
        end
        number, digits = number * 10 + digit, digits + 1
    end
    if digits == 0 or digits > MAX_DIGITS
            or digits > 1 and bytes[0] == ZERO then
        return nil
    end
    return number, digits
end

-- The claims as shops write them: one object of texts without escapes and
-- whole numbers, with nothing between. nil for all others, which cjson reads,
-- at half the speed. What cjson would refuse in a text no claim of ours holds.
local function plain_claims(bytes, count)
    local claims, at = {}, 0
    -- a claim has four bytes or more: no look goes beyond the last one
    while at + 4 < count and bytes[at] == (at == 0 and OPEN or COMMA) do
        local length = bytes[at + 1] == QUOTE
            and text_length(bytes + at + 2, count - at - 2)
        if not length then
            return nil
        end
        local name = ffi.string(bytes + at + 2, length)
        at = at + length + 4
        if not CLAIMS[name] or at >= count or bytes[at - 1] ~= COLON then
            return nil
        end
        if bytes[at] == QUOTE then
            length = text_length(bytes + at + 1, count - at - 1)
            claims[name] = length and ffi.string(bytes + at + 1, length)
            at = length and at + length + 2
        else
            claims[name], length = number_at(bytes + at, count - at)
            at = length and at + length
        end
        if not at then
            return nil
        end
    end
    return at == count - 1 and at > 0 and bytes[at] == CLOSE and claims or nil
end

local function is_time(value)
    return type(value) == "number" and value >= 0 and value < MAX_SECONDS
end

local function is_user(value)
    if type(value) ~= "string" or value == "" or #value > MAX_USER then
        return false
    end
    for i = 1, #value do
        if not USER_SIGNS[byte(value, i)] then
            return false
        end
    end
    return true
end

local function valid_claims(claims, now)
    return is_user(claims.sub)
        and (claims.role == nil or ROLES[claims.role] == true)
        and is_time(claims.iat)
        and is_time(claims.exp) and claims.exp > now
        and (claims.nbf == nil
            or is_time(claims.nbf) and claims.nbf <= now)
end

-- Where both dots of a token are, or nil: it is none.
local function dots_of(token)
    local first = find(token, ".", 1, true)
    local second = first and find(token, ".", first + 1, true)
    if not second or #token > MAX_TOKEN
            or find(token, ".", second + 1, true) then
        return nil
    end
    return first, second
end

-- user and expiry (seconds), or nil. now: seconds since 1970.
function _M.verify(token, keys, now)
    local first, second = dots_of(token)
    if not first or #token - second ~= crypto.MAC_CHARACTERS then
        return nil
    end
    local header = sub(token, 1, first - 1)
    local kid = kids[header] or kid_of(header)
    local key = kid and keys[kid]
    if not key or not crypto.is_signed(key, token) then
        return nil
    end
    if not kids[header] and kid_count < MAX_HEADERS then
        kids[header], kid_count = kid, kid_count + 1
    end
    local bytes, count =
        crypto.bytes_of_base64url(token, first + 1, second - 1)
    local claims = bytes and (plain_claims(bytes, count)
        or object(ffi.string(bytes, count)))
    if not claims or not valid_claims(claims, now) then
        return nil
    end
    return claims.sub, claims.exp
end

-- Whom the token would name if it were good: not believed by anybody, only
-- good to see that there is no need to verify it. "" for nobody; nil when
-- only verify() can tell.
function _M.claimed(token)
    local first, second = dots_of(token)
    local bytes, count
    if first then
        bytes, count = crypto.bytes_of_base64url(token, first + 1, second - 1)
    end
    if not bytes then
        return ""
    end
    -- Without escapes a good token's claim is there in these letters; once,
    -- so it is this one.
    if C.memchr(bytes, ESCAPE, count) ~= nil then
        return nil
    end
    local found = C.memmem(bytes, count, SUB, #SUB)
    if found == nil then
        return ""
    end
    local rest = ffi.cast(BYTES, found) + #SUB
    local left = count - tonumber(rest - bytes)
    if C.memmem(rest, left, SUB, #SUB) ~= nil
            or left < 2 or rest[0] ~= COLON or rest[1] ~= QUOTE then
        return nil
    end
    local length = text_length(rest + 2, left - 2)
    return length and length <= MAX_USER and ffi.string(rest + 2, length)
        or ""
end

return _M
