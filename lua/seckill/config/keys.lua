-- The token keys in force: the key file is looked at once a second by each
-- worker, so that keys are rotated without a reload. A file that becomes bad
-- leaves the last good keys, with a log line per change.

local complaints = require "seckill.config.complaints"
local identity = require "seckill.request.identity"
local node = require "seckill.config.node"
local token_keys = require "seckill.request.token_keys"

local EVERY_SECONDS = 1
local NAME = "SECKILL_TOKEN_KEYS"

local _M = {}

-- What the file held when this worker looked last. A few hundred bytes of a
-- local disk's cache: it costs less than asking when it was changed.
local text = node.keys_text

local function look()
    local file, why = io.open(node.keys_file, "rb")
    local latest = file and file:read("*a") or ""
    if file then
        file:close()
    end
    if latest == text then
        return
    end
    text = latest
    local keys, fault = token_keys.parse(latest)
    if not keys then
        complaints.complain(NAME, why or fault, "the last good keys stay")
        return
    end
    complaints.be_content(NAME)
    node.keys = keys
    identity.forget()  -- whom a key that is gone has vouched for
end

-- In every worker, at its start.
function _M.start()
    assert(ngx.timer.every(EVERY_SECONDS, look))
end

return _M
