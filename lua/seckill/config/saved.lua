-- What is in force, in a file of this node: a start while the control Redis is
-- down, or has lost its data, goes on with it. So a product that was closed
-- stays closed, and buyers are told of a sale's start, end and "sold out"
-- as before; first attempts pass only once Redis leases tokens again.
--
-- FILE    crc32 of the second line; JSON of seckill_config's entries. Written
--   by the poller at most once a second, whole or not at all; not flushed, for
--   a file that a power cut has torn is passed over like none.
-- saved_version    in seckill_state: the version in the file
-- saved_at         when it was written (seconds)

local cjson = require "cjson"
local forced = require "seckill.forced"
local limits = require "seckill.config.limits"
local node = require "seckill.config.node"
local sales = require "seckill.sale.sale"

local config = ngx.shared.seckill_config
local STATE = "seckill_state"
local state = ngx.shared[STATE]
local log = ngx.log

local FILE = "in-force.json"
local EVERY_SECONDS = 1
local PAGE = 500  -- products
local PAUSE_SECONDS = 0.001

local _M = {}

local function path()
    return ngx.config.prefix() .. FILE
end

local function keep(entries, key)
    entries[key] = config:get(key)
end

local function members_of(entries)
    return cjson.encode(entries):sub(2, -2)
end

-- All entries by key as JSON, made in pages between which nginx serves others.
local function as_text()
    local entries = {}
    keep(entries, "products")
    for _, name in ipairs(limits.OF_NODE) do
        keep(entries, "limit:" .. name)
    end
    local pages, count = {}, 0
    for product in (entries.products or ""):gmatch("%d+") do
        keep(entries, "sale:" .. product)
        keep(entries, "limit:" .. product .. ".qps")
        count = count + 1
        if count % PAGE == 0 and next(entries) then
            pages[#pages + 1], entries = members_of(entries), {}
            ngx.sleep(PAUSE_SECONDS)
        end
    end
    if next(entries) then
        pages[#pages + 1] = members_of(entries)
    end
    return "{" .. table.concat(pages, ",") .. "}"
end

local function write(text)
    local file, err = io.open(path() .. ".new", "wb")
    if not file then
        return nil, err
    end
    local ok
    ok, err = file:write(ngx.crc32_long(text), "\n", text)
    if file:close() and ok then
        ok, err = os.rename(path() .. ".new", path())
    end
    return ok, err
end

-- In the poller's timer: writes what has changed since the last time.
function _M.save_changes()
    local version = state:get("version")
    if not state:get("loaded") or state:get("saved_version") == version
            or math.abs(ngx.now() - (state:get("saved_at") or 0))
                < EVERY_SECONDS then
        return
    end
    forced.set(STATE, "saved_at", ngx.now())
    local ok, err = write(as_text())
    if ok then
        forced.set(STATE, "saved_version", version)
        state:delete("unsaved")
    elseif not state:get("unsaved") then
        forced.set(STATE, "unsaved", true)
        log(ngx.ERR, "cannot keep what is in force: ", err, "; a start while"
            .. " the control Redis is down would be closed")
    end
end

local function read()
    local file = io.open(path(), "rb")
    if not file then
        return nil, "none"
    end
    local sum, text = file:read("*l", "*a")
    file:close()
    if not text or tostring(ngx.crc32_long(text)) ~= sum then
        return nil, "torn"
    end
    local ok, all = pcall(cjson.decode, text)
    return ok and all or nil, "torn"
end

-- The same checks as of what Redis says, for the tables may be newer.
local function is_good(key, value)
    local name = key:match("^limit:(.*)")
    if name then
        local row = node.limits[name] or node.limits.qps
        return limits.read(row, ("%d"):format(value)) ~= nil
    end
    return key == "products" or sales.parse(sales.unpack(value)) ~= nil
end

-- At a start, before the workers are forked; after a reload the dicts still
-- have all. false: there is no such file, or it is not whole.
function _M.load()
    if state:get("loaded") then
        return true
    end
    local all, why = read()
    if not all then
        if why ~= "none" then
            log(ngx.WARN, path(), " is ", why, " and passed over")
        end
        return false
    end
    for key, value in pairs(all) do
        local ok, good = pcall(is_good, key, value)
        if ok and good then
            config:safe_set(key, value)
        end
    end
    forced.incr(STATE, "version", 1, 0)
    forced.set(STATE, "loaded", true)
    return true
end

return _M
