-- Numbers in a shared dict that limiters add to. shdict:incr with a first
-- value would push another number out of a full dict.
--
-- A dict makes room by what expires, by the time of day, and looks only at its
-- oldest. When that was set back, these live on, and what is newer and has gone
-- stays behind them: then all are looked at, once a second.

local abs = math.abs
local now = ngx.now

local AGAIN_SECONDS = 1
local MOST_FREED = 10000

local _M = {}

local freed_at = {}  -- by dict

local function make_room(dict)
    local at = now()
    if abs(at - (freed_at[dict] or 0)) < AGAIN_SECONDS then
        return false
    end
    freed_at[dict] = at
    return dict:flush_expired(MOST_FREED) > 0
end

-- True; or false and "exists", or "no memory". As safe_add.
function _M.put(dict, name, value, seconds)
    local ok, err = dict:safe_add(name, value, seconds)
    if err == "no memory" and make_room(dict) then
        ok, err = dict:safe_add(name, value, seconds)
    end
    return ok, err
end

-- The sum; or nil and an error: there is no room. A number that is not there
-- begins as first, and stays for so many seconds.
function _M.add(dict, name, value, first, seconds)
    local sum, err = dict:incr(name, value)
    if sum or err ~= "not found" then
        return sum, err
    end
    local ok
    ok, err = _M.put(dict, name, first + value, seconds)
    if ok then
        return first + value
    elseif err == "exists" then
        return dict:incr(name, value)
    end
    return nil, err
end

return _M
