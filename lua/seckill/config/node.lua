-- What one edge node was started with. Anything wrong here stops nginx at
-- start (or keeps the old workers at reload) with the culprit's name.

local bounds = require "seckill.config.bounds"
local cjson = require "cjson"
local limits = require "seckill.config.limits"
local redis_endpoint = require "seckill.config.redis_endpoint"
local refusals = require "seckill.request.refusals"
local token_keys = require "seckill.request.token_keys"

local found = pcall(require, "resty.redis")

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

-- The keys, and the text that they were read of.
local function read_keys(path)
    local text = read_file("SECKILL_TOKEN_KEYS", path)
    local keys, fault = token_keys.parse(text)
    return assert(keys, "SECKILL_TOKEN_KEYS: " .. path .. ": "
        .. tostring(fault)), text
end

-- The old client of Debian knows no TLS, and would go on without it.
local function control_of(text)
    local control = redis_endpoint.parse(text)
    assert(control, "SECKILL_CONTROL_REDIS must be"
        .. " redis://[USER:PASSWORD@]HOST:PORT or rediss://...")
    assert(not control.tls or found, "SECKILL_CONTROL_REDIS is rediss://, but"
        .. " this nginx has no resty.redis, so no TLS to Redis")
    return control
end

-- keys is replaced when the file changes (keys.lua).
-- settings: contracts (folder), control_redis (URI), token_keys (file);
-- algorithms: by limiter, burst_ms, and instances: how many by service, which
-- render has checked.
function _M.init(settings)
    _M.refusals = refusals.table_of(
        read_table(settings.contracts, "refusals.json"))
    _M.limits = limits.table_of(
        read_table(settings.contracts, "limits.json"))
    _M.counters = read_table(settings.contracts, "counters.json")
    bounds.init(read_table(settings.contracts, "bounds.json"))
    _M.keys, _M.keys_text = read_keys(settings.token_keys)
    _M.keys_file = settings.token_keys
    _M.control = control_of(settings.control_redis)
    _M.algorithms = settings.algorithms
    _M.burst_s = settings.burst_ms / 1000
    _M.instances = settings.instances
end

return _M
