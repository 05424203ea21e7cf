-- So many at once, of each key: what waits for an answer holds a connection of
-- the client's and one of the service's. Counted by each worker for itself,
-- an even part of the node's: a count that a killed worker left behind in a
-- dict would stay there.

local floor, max = math.floor, math.max
local workers = ngx.worker.count

local _M = {}
local MT = { __index = _M }

-- most_of(key): how many of the node.
function _M.new(most_of)
    return setmetatable({ most_of = most_of, held = {} }, MT)
end

-- 0 and the key; or nil and "rejected".
function _M:incoming(key, commit)
    local held = self.held[key] or 0
    if held >= max(1, floor(self.most_of(key) / workers())) then
        return nil, "rejected"
    end
    if commit then
        self.held[key] = held + 1
    end
    return 0, key
end

function _M:uncommit(key)
    self.held[key] = self.held[key] - 1
    return true
end

return _M
