-- Traces that this worker's LuaJIT gave up, by where they began and why, from
-- when this is first loaded. What timers do is not counted: it runs beside
-- the requests and not for them.

local util = require "jit.util"

local counts, began = {}, nil

local function place_of(func, pc)
    local info = util.funcinfo(func, pc)
    return info.loc or ("C:%x"):format(info.addr or 0)
end

jit.attach(function(what, _, func, pc, code, parent)
    if what == "start" then
        -- a side trace begins at an exit (parent) of another trace (code)
        began = place_of(func, pc)
            .. (code and (" (%s/%s)"):format(code, parent) or "")
    elseif what == "abort" and ngx.get_phase() ~= "timer" then
        local key = ngx.get_phase() .. ": " .. began .. " given up at "
            .. place_of(func, pc) .. ", error " .. tostring(code)
        counts[key] = (counts[key] or 0) + 1
    end
end, "trace")

local _M = {}

-- By key, how often.
function _M.counts()
    return counts
end

-- Each round is given up, since no trace can make a closure.
function _M.make_closures(rounds)
    local last
    for i = 1, rounds do
        last = function() return i end
    end
    return last
end

return _M
