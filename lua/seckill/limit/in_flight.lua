-- One at a time: a key that is in flight is refused until it is given back,
-- or until its mark has gone because its worker was killed.
--
-- KEY   a mark, one per attempt in flight; gone after `seconds`. No room is
--   an error.

local _M = {}
local MT = { __index = _M }

-- seconds: more than anything in flight takes.
function _M.new(dict, seconds)
    return setmetatable({ dict = dict, seconds = seconds }, MT)
end

-- 0 and the key; nil and "rejected"; nil and an error. Without commit no
-- mark is set.
function _M:incoming(key, commit)
    if not commit then
        if self.dict:get(key) then
            return nil, "rejected"
        end
        return 0, key
    end
    local ok, err = self.dict:safe_add(key, true, self.seconds)
    if ok then
        return 0, key
    end
    return nil, err == "exists" and "rejected" or err
end

function _M:uncommit(key)
    self.dict:delete(key)
    return true
end

return _M
