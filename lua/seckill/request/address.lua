-- Where a request came from, as a key of a limiter: an IPv4 address, or an
-- IPv6 network of 64 bits, for a provider gives its customer all of one.

local sub = string.sub
local var = ngx.var

local MAPPED = ("\0"):rep(10) .. "\255\255"  -- IPv4 in IPv6

local _M = {}

-- The bytes of it. Behind a proxy, which SECKILL_TRUSTED_PROXIES names, of the
-- client that it tells of.
function _M.of_client()
    local bytes = var.binary_remote_addr
    if #bytes ~= 16 then
        return bytes
    elseif sub(bytes, 1, 12) == MAPPED then
        return sub(bytes, 13)
    end
    return sub(bytes, 1, 8)
end

return _M
