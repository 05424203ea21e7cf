-- A signed path EXPIRY-MAC: flash-sale-service signs it for one user and
-- product, the edge verifies it. Forged, expired, another's: all the same.

local crypto = require "seckill.request.crypto"

local _M = {}

-- now_ms: milliseconds since 1970. Every key is tried, so that the time
-- taken does not tell which one signed.
function _M.valid(path, user, product, keys, now_ms)
    local expiry, mac = path:match("^([1-9]%d*)-([%da-f]+)$")
    if not expiry or #expiry > 14 or #mac ~= 64
            or tonumber(expiry) <= now_ms then
        return false
    end
    local text = ("path|%s|%s|%s"):format(user, product, expiry)
    local found = false
    for i = 1, #keys do
        local good = crypto.equal(crypto.hmac_hex(keys[i], text), mac)
        found = good or found
    end
    return found
end

return _M
