-- Where a Redis is and who asks it (contracts/README.md, Redis endpoints):
-- redis://[USER:PASSWORD@]HOST:PORT, or rediss:// for TLS.

local MAX_WORD = 512
local MAX_HOST = 253
local MAX_PORT = 65535

local _M = {}

-- A user or a password: what is not plain is %XX, a visible character or a
-- space. nil when it is anything else.
local function decode(word)
    local plain = word:gsub("%%%x%x", "_")
    if #plain < 1 or #plain > MAX_WORD or not plain:find("^[%w._~-]+$")
            or word:find("%%[^2-7]") or word:find("%%7[Ff]") then
        return nil
    end
    return (word:gsub("%%(%x%x)", function(hex)
        return string.char(tonumber(hex, 16))
    end))
end

local function authority(text)
    local user, password, at = text:match("^([^:@]*):([^:@]*)@([^@]*)$")
    if not user then
        return {}, text
    end
    user, password = decode(user), decode(password)
    if user and password then
        return { user = user, password = password }, at
    end
end

-- host, port, user and password (nil: none), tls; or nil: it is no endpoint.
function _M.parse(text)
    local tls, rest = text:match("^redis(s?)://(.*)$")
    if not tls then
        return nil
    end
    local endpoint, at = authority(rest)
    if not endpoint then
        return nil
    end
    local host, port = at:match("^([%w.-]+):([1-9]%d*)$")
    if not host or #host > MAX_HOST or #port > 5
            or tonumber(port) > MAX_PORT then
        return nil
    end
    endpoint.host, endpoint.port = host, tonumber(port)
    endpoint.tls = tls == "s"
    return endpoint
end

return _M
