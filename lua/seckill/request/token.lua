-- Who is asking: a JWT signed with HS256 and nothing else. Every fault has
-- the same outcome, nil, so that a forger learns nothing.

local cjson = require("cjson").new()
local crypto = require "seckill.request.crypto"

local byte, find, sub = string.byte, string.find, string.sub

cjson.decode_invalid_numbers(false)

local MAX_TOKEN = 4096
local MAX_SECONDS = 1e12
local MAX_USER = 64

local ROLES = { buyer = true, ops = true }

local QUOTE, COLON, COMMA = byte '"', byte ":", byte ","
local OPEN, CLOSE = byte "{", byte "}"
local PLAIN_CLAIMS = { sub = true, role = true, iat = true, exp = true,
    nbf = true }

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

-- A whole number as JSON and cjson write it, or nil.
local function plain_number(text)
    local number = tonumber(text)
    return number and tostring(number) == text and number or nil
end

-- The claims as shops write them: the names above, texts, whole numbers and
-- nothing between. nil for all others, which cjson reads; it is half as fast.
-- What cjson would refuse in a text, no claim above may hold.
local function plain_claims(text)
    if byte(text, 1) ~= OPEN or find(text, "\\", 1, true) then
        return nil
    end
    local claims, at = {}, 1
    repeat
        local ends = byte(text, at + 1) == QUOTE
            and find(text, '"', at + 2, true)
        local name = ends and sub(text, at + 2, ends - 1)
        if not PLAIN_CLAIMS[name] or byte(text, ends + 1) ~= COLON then
            return nil
        end
        if byte(text, ends + 2) == QUOTE then
            at = find(text, '"', ends + 3, true)
            claims[name] = at and sub(text, ends + 3, at - 1)
            at = at and at + 1
        else
            at = find(text, ",", ends + 2, true) or #text
            claims[name] = plain_number(sub(text, ends + 2, at - 1))
        end
        local sign = at and claims[name] and byte(text, at)
        if sign == CLOSE and at == #text then
            return claims
        end
    until sign ~= COMMA
    return nil
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
    local text = crypto.decode_base64url(token, first + 1, second - 1)
    local claims = text and (plain_claims(text) or object(text))
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
    local text = first
        and crypto.decode_base64url(token, first + 1, second - 1)
    if not text then
        return ""
    end
    -- Without escapes a good token's claim is there in these letters; once,
    -- so it is this one.
    local _, ends = find(text, '"sub"', 1, true)
    if find(text, "\\", 1, true) then
        return nil
    elseif not ends then
        return ""
    elseif find(text, '"sub"', ends, true)
            or sub(text, ends + 1, ends + 2) ~= ':"' then
        return nil
    end
    local closes = find(text, '"', ends + 3, true)
    return closes and sub(text, ends + 3, closes - 1) or ""
end

return _M
