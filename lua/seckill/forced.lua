-- Writes to a shared dict that must not fail for want of room: a full dict
-- pushes out what was used longest ago, and that is counted. All else is
-- written by safe_set and safe_add, which push out nothing.

local counters = require "seckill.counters"

local _M = {}

local function tell(name, ok, err, is_forced)
    if is_forced then
        counters.count(counters.forced[name])
    end
    return ok, err
end

-- As the dict's methods; name: of the dict.
function _M.set(name, ...)
    return tell(name, ngx.shared[name]:set(...))
end

function _M.add(name, ...)
    return tell(name, ngx.shared[name]:add(...))
end

function _M.incr(name, ...)
    return tell(name, ngx.shared[name]:incr(...))
end

return _M
