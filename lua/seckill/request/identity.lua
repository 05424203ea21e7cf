-- Who a request is from: its token, verified once and remembered per worker.

local lrucache = require "resty.lrucache"
local node = require "seckill.config.node"
local tokens = require "seckill.request.token"

-- At most 10,000 x 1 kB per worker; a longer token is verified each time.
local MAX_REMEMBERED = 10000
local MAX_HEADER = 1024

local sub = string.sub

local remembered = assert(lrucache.new(MAX_REMEMBERED))

local _M = {}

-- The token of an Authorization header, or nil.
local function token_of(header)
    local scheme = sub(header, 1, 7)
    if scheme == "Bearer " or scheme == "bearer " then
        return sub(header, 8)
    end
end

-- The user, or nil. header: all of Authorization; two such headers arrive as
-- one text that no token matches (newer nginx) or not at all (older, see
-- phase/refused.lua).
function _M.user(header, now)
    local user = header and remembered:get(header)
    if user or not header then
        return user
    end
    local token, expires = token_of(header), nil
    if token then
        user, expires = tokens.verify(token, node.keys, now)
    end
    if user and #header <= MAX_HEADER then
        remembered:set(header, user, expires - now)
    end
    return user
end

-- Every token is verified anew: the keys have changed.
function _M.forget()
    remembered:flush_all()
end

-- Whom the header names, verified or not: "" for nobody, nil when only user()
-- can tell. Nobody may learn or gain by it.
function _M.claimed(header)
    local user = header and remembered:get(header)
    if user or not header then
        return user or ""
    end
    local token = token_of(header)
    if not token then
        return ""
    end
    return tokens.claimed(token)
end

return _M
