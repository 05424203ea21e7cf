-- What one edge node was started with. Anything wrong here stops nginx at
-- start (or keeps the old workers at reload) with the culprit's name.

local cjson = require "cjson"
local limits = require "seckill.config.limits"
local refusals = require "seckill.request.refusals"
local token_keys = require "seckill.request.token_keys"

local _M = {}

local function read_file(name, path)
    local file, err = io.open(path, "rb")
    assert(file, name .. ": cannot read: " .. tostring(err))
    local text = file:read("*a")
    file:close()
    return text
end

local function read_table(folder, name)
    local ok, rows = pcall(cjson.decode,
        read_file("contracts", folder .. "/" .. name))
    assert(ok, name .. " is not JSON: " .. tostring(rows))
    return rows
end

local function read_keys(path)
    local keys, fault = token_keys.parse(read_file("SECKILL_TOKEN_KEYS", path))
    return assert(keys, "SECKILL_TOKEN_KEYS: " .. path .. ": "
        .. tostring(fault))
end

-- settings: contracts (folder), control_redis (HOST:PORT), token_keys (file).
function _M.init(settings)
    _M.refusals = refusals.table_of(
        read_table(settings.contracts, "refusals.json"))
    _M.limits = limits.table_of(
        read_table(settings.contracts, "limits.json"))
    _M.counters = read_table(settings.contracts, "counters.json")
    _M.max_sales = read_table(settings.contracts, "bounds.json").sales
    assert(type(_M.max_sales) == "number", "bounds.json: sales is no number")
    _M.keys = read_keys(settings.token_keys)
    local host, port = settings.control_redis:match("^([%w.-]+):(%d+)$")
    assert(host, "SECKILL_CONTROL_REDIS must be HOST:PORT, it is "
        .. settings.control_redis)
    _M.control_host, _M.control_port = host, tonumber(port)
end

return _M
