-- Values of the control Redis that are refused: said in the log and counted,
-- once per change.
--
-- In seckill_state:
-- bad:NAME    what was refused, until it is good
-- errors      how many were

local forced = require "seckill.forced"

local STATE = "seckill_state"
local state = ngx.shared[STATE]
local log = ngx.log

local _M = {}

-- kept: what holds instead, for the log.
function _M.complain(name, wrong, kept)
    local text = tostring(wrong):sub(1, 64):gsub("[^%w%p ]", "?")
    if state:get("bad:" .. name) == text then
        return
    end
    state:safe_set("bad:" .. name, text)
    forced.incr(STATE, "errors", 1, 0)
    log(ngx.WARN, name, ": not allowed: ", text, "; ", kept)
end

function _M.be_content(name)
    if state:get("bad:" .. name) then
        state:delete("bad:" .. name)
        log(ngx.WARN, name, " is good again")
    end
end

return _M
