-- Numbers in a shared dict that limiters add to. shdict:incr with a first
-- value would push another number out of a full dict.

local _M = {}

-- The sum; or nil and an error: there is no room. A number that is not there
-- begins as first, and stays for so many seconds.
function _M.add(dict, name, value, first, seconds)
    local sum, err = dict:incr(name, value)
    if sum or err ~= "not found" then
        return sum, err
    end
    local ok
    ok, err = dict:safe_add(name, first + value, seconds)
    if ok then
        return first + value
    elseif err == "exists" then
        return dict:incr(name, value)
    end
    return nil, err
end

return _M
