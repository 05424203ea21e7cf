-- What a token says of its user: its claims, read from bytes. Who signed them
-- is seckill.request.token's question.

local cjson = require("cjson").new()
local ffi = require "ffi"

ffi.cdef [[
void *memchr(const void *bytes, int byte, size_t count);
void *memmem(const void *bytes, size_t count, const void *part, size_t size);
]]
local C = ffi.C
local BYTES = ffi.typeof "const uint8_t *"

local byte = string.byte

cjson.decode_invalid_numbers(false)

local MAX_SECONDS = 1e12
local MAX_USER = 64

local ROLES = { buyer = true, ops = true }
local ISSUER = "shop"

local QUOTE, COLON, COMMA = byte '"', byte ":", byte ","
local OPEN, CLOSE, ESCAPE = byte "{", byte "}", byte "\\"
local ZERO = byte "0"
local CLAIMS = { sub = true, role = true, iat = true, exp = true, nbf = true,
    iss = true }
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

local _M = {}

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

local function valid(claims, now)
    return is_user(claims.sub)
        and (claims.role == nil or ROLES[claims.role] == true)
        and (claims.iss == nil or claims.iss == ISSUER)
        and is_time(claims.iat)
        and is_time(claims.exp) and claims.exp > now
        and (claims.nbf == nil
            or is_time(claims.nbf) and claims.nbf <= now)
end

-- user and expiry (seconds), or nil for claims that are not valid now (seconds
-- since 1970).
function _M.read(bytes, count, now)
    local claims = plain_claims(bytes, count)
    if not claims then
        local ok, value = pcall(cjson.decode, ffi.string(bytes, count))
        claims = ok and type(value) == "table" and value
    end
    if not claims or not valid(claims, now) then
        return nil
    end
    return claims.sub, claims.exp
end

-- The user whom claims would name if they were valid: "" for nobody, nil when
-- only read() can tell.
function _M.subject(bytes, count)
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
