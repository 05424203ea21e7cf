-- How long orders wait, as order-service says it twice a second:
-- seckill:backlog, read by the poller with everything else.
--
-- In seckill_state:
-- backlog       in how many milliseconds those that wait now will be written;
--   gone LIFE_SECONDS after order-service has said so. Missing: not known
-- backlog_at    when it said so (atMs), for good
--
-- The clocks of Redis and of this node are never compared: a word is a new one
-- when its atMs is another. So one that nobody renews is forgotten, also when
-- it was written by hand and never expires, or Redis is away.

local cjson = require("cjson").new()
local complaints = require "seckill.config.complaints"
local redis_keys = require "seckill.config.redis_keys"

local floor = math.floor
local state = ngx.shared.seckill_state

cjson.decode_invalid_numbers(false)

local LIFE_SECONDS = 5  -- as long as the key has in Redis
local MAX_BYTES = 200
local MAX_MS = 1e14  -- 14 digits: exact in a Lua number and as text

local NAME = redis_keys.BACKLOG

local _M = {}

local function is_ms(value)
    return type(value) == "number" and value >= 0 and value < MAX_MS
        and value == floor(value)
end

-- estimatedWaitMs and atMs, or nil.
function _M.parse(text)
    if #text > MAX_BYTES then
        return nil
    end
    local ok, said = pcall(cjson.decode, text)
    if ok and type(said) == "table" and is_ms(said.estimatedWaitMs)
            and is_ms(said.atMs) then
        return said.estimatedWaitMs, said.atMs
    end
end

-- reply: of GET; a table when the key has the wrong type.
function _M.learn(reply)
    if reply == ngx.null then
        complaints.be_content(NAME)
        state:delete("backlog")
        return
    end
    local wait_ms, at_ms
    if type(reply) == "string" then
        wait_ms, at_ms = _M.parse(reply)
    end
    if not wait_ms then
        complaints.complain(NAME, type(reply) == "table" and reply[2] or reply,
            "what was said before holds until it is too old")
        return
    end
    complaints.be_content(NAME)
    if state:get("backlog_at") ~= at_ms then
        state:safe_set("backlog_at", at_ms)
        state:safe_set("backlog", wait_ms, LIFE_SECONDS)
    end
end

-- nil: not known.
function _M.wait_ms()
    return (state:get("backlog"))
end

return _M
