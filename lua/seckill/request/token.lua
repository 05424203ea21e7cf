-- Who is asking: a JWT signed with HS256 and nothing else. Every fault has
-- the same outcome, nil, so that a forger learns nothing.

local cjson = require("cjson").new()
local crypto = require "seckill.request.crypto"

cjson.decode_invalid_numbers(false)

local MAX_TOKEN = 4096
local MAX_SECONDS = 1e12

local ROLES = { buyer = true, ops = true }

local _M = {}

local function object(part)
    local text = crypto.decode_base64url(part)
    if not text then
        return nil
    end
    local ok, value = pcall(cjson.decode, text)
    return ok and type(value) == "table" and value or nil
end

-- The key the header asks for. The algorithm is ours, never the token's
-- choice; an extension the header calls critical is one we do not know.
local function key_of(header_part, keys)
    local header = object(header_part)
    if not header or header.alg ~= "HS256" or header.crit ~= nil then
        return nil
    end
    return type(header.kid) == "string" and keys[header.kid] or nil
end

local function is_time(value)
    return type(value) == "number" and value >= 0 and value < MAX_SECONDS
end

local function is_user(value)
    return type(value) == "string" and #value <= 64
        and value:find("^[%w_.@-]+$") ~= nil
end

local function valid_claims(claims, now)
    return is_user(claims.sub)
        and (claims.role == nil or ROLES[claims.role] == true)
        and is_time(claims.iat)
        and is_time(claims.exp) and claims.exp > now
        and (claims.nbf == nil
            or is_time(claims.nbf) and claims.nbf <= now)
end

-- user and expiry (seconds), or nil. now: seconds since 1970.
function _M.verify(token, keys, now)
    if #token > MAX_TOKEN then
        return nil
    end
    local signed, header, payload, signature =
        token:match("^(([%w_-]+)%.([%w_-]+))%.([%w_-]+)$")
    local key = signed and key_of(header, keys)
    if not key or not crypto.equal(
            crypto.hmac_base64url(key, signed), signature) then
        return nil
    end
    local claims = object(payload)
    if not claims or not valid_claims(claims, now) then
        return nil
    end
    return claims.sub, claims.exp
end

return _M
