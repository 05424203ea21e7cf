-- Who is asking: a JWT signed with HS256 and nothing else. Every fault has
-- the same outcome, nil, so that a forger learns nothing.

local cjson = require("cjson").new()
local claims = require "seckill.request.claims"
local crypto = require "seckill.request.crypto"

local find, sub = string.find, string.sub

cjson.decode_invalid_numbers(false)

local MAX_TOKEN = 4096

-- The key id by header part, of tokens whose signature was right: it is the
-- same for every token of a key. Only who holds a key can add one.
local MAX_HEADERS = 64
local kids, kid_count = {}, 0

local _M = {}

-- The key id in the header. The algorithm is ours, never the token's choice;
-- an extension the header calls critical is one we do not know.
local function kid_of(part)
    local text = crypto.decode_base64url(part)
    local ok, header = pcall(cjson.decode, text)
    if not ok or type(header) ~= "table"
            or header.alg ~= "HS256" or header.crit ~= nil then
        return nil
    end
    return type(header.kid) == "string" and header.kid or nil
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
    if not bytes then
        return nil
    end
    return claims.read(bytes, count, now)
end

-- Whom the token would name if it were good: not believed by anybody, only
-- good to see that there is no need to verify it. "" for nobody; nil when
-- only verify() can tell.
function _M.claimed(token)
    local first, second = dots_of(token)
    if not first then
        return ""
    end
    local bytes, count =
        crypto.bytes_of_base64url(token, first + 1, second - 1)
    if not bytes then
        return ""
    end
    return claims.subject(bytes, count)
end

return _M
