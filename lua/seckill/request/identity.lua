-- Who a request is from: its token, verified once and remembered per worker.

local lrucache = require "resty.lrucache"
local node = require "seckill.config.node"
local tokens = require "seckill.request.token"

-- At most 10,000 x 1 kB per worker; a longer token is verified each time.
local MAX_REMEMBERED = 10000
local MAX_HEADER = 1024

local remembered = assert(lrucache.new(MAX_REMEMBERED))

local _M = {}

-- The user, or nil. header: all of Authorization; two such headers arrive as
-- one text that no token matches (newer nginx) or not at all (older, see
-- phase/refused.lua).
function _M.user(header, now)
    local user = header and remembered:get(header)
    if user or not header then
        return user
    end
    local token = header:match("^[Bb]earer ([%w_.-]+)$")
    local expires
    if token then
        user, expires = tokens.verify(token, node.keys, now)
    end
    if user and #header <= MAX_HEADER then
        remembered:set(header, user, expires - now)
    end
    return user
end

return _M
