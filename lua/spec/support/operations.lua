-- Operations on shared dicts by this worker's requests, from when this is first
-- loaded: as texts "DICT METHOD". What timers do is not counted.

local names, list = {}, {}
for name, dict in pairs(ngx.shared) do
    names[dict] = name
end

local methods = getmetatable(ngx.shared.seckill_state).__index
for _, method in ipairs { "get", "set", "safe_set", "add", "safe_add", "incr",
        "delete", "expire", "ttl", "replace", "get_stale" } do
    local call = methods[method]
    methods[method] = function(dict, ...)
        if ngx.get_phase() ~= "timer" then
            list[#list + 1] = names[dict] .. " " .. method
        end
        return call(dict, ...)
    end
end

local _M = {}

-- Those since this was last asked.
function _M.take()
    local taken = list
    list = {}
    return taken
end

return _M
