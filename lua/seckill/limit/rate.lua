-- Fixed window: at most `limit` takes in each second of the server's clock,
-- exact over all workers of the node, because shdict:incr alone decides.
--
-- Key: NAME:SECOND, unit takes, gone after TTL. A refused take is taken back
-- at once; in between, a racing take may be refused as well, but none beyond
-- the limit passes. Two windows side by side may pass 2 x limit in one span
-- of a second that crosses their edge.

local TTL_SECONDS = 3

local _M = {}

-- The key to give back, or nil: refused (also when the dict has no room).
function _M.take(dict, name, limit, now)
    local key = name .. ":" .. math.floor(now)
    local count = dict:incr(key, 1, 0, TTL_SECONDS)
    if count and count <= limit then
        return key
    end
    if count then
        dict:incr(key, -1)
    end
    return nil
end

-- For a take whose request was then refused by another limiter.
function _M.give(dict, key)
    dict:incr(key, -1)
end

return _M
