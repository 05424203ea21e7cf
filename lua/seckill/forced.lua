-- Writes to a shared dict that must not fail for want of room: a full dict
-- pushes out what was used longest ago, and that is counted. All else is
-- written by safe_set and safe_add, which push out nothing.
--
-- In seckill_counters, and no row of contracts/counters.json, for an eviction
-- is a term of no equation:
-- forced:DICT   unit: entries that were still good when a full dict pushed
--   them out; one per dict, for good

local dict = ngx.shared.seckill_counters

local keys, names = {}, {}
for name in pairs(ngx.shared) do
    keys[name] = "forced:" .. name
    names[#names + 1] = name
end
table.sort(names)

local _M = {}

-- One was pushed out of the dict of this name.
function _M.count(name)
    dict:incr(keys[name], 1, 0)
end

-- Rows for a gauge by dict; of one that pushed nothing out, too.
function _M.rows()
    local rows = {}
    for i, name in ipairs(names) do
        rows[i] = { name, dict:get(keys[name]) or 0 }
    end
    return rows
end

local function tell(name, ok, err, is_forced)
    if is_forced then
        _M.count(name)
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
