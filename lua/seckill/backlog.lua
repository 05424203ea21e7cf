-- Which first attempts are held back because orders wait too long. Who has
-- waited longer than order.backlog_max_age_ms is rejected by order-service as
-- long as the others would, too; a buyer is better told at once to come again.
--
-- A share of those passes whom nothing else refuses: all while orders wait no
-- longer than that limit, half as many with each tenth of it that they wait
-- longer, and always LEAST, so that nothing ends for good.
--
-- due    unit: attempts, of this worker: what is owed to those held back. Each
--   adds its share, and when that makes a whole attempt, one passes. So a
--   worker is never more than one attempt off the share, with no dict that all
--   write, no key and no chance. 0 to 1; above it where passes came back.

local signal = require "seckill.config.backlog_signal"
local view = require "seckill.config.view"

local max = math.max
local now = ngx.now

local HALVINGS = 10  -- while orders wait for twice the limit
local LEAST = 0.001

local due = 0.5
local looked_at, wait_ms, limit_ms
local share, fields = 1, nil

local _M = {}

local function share_of(wait, limit)
    if not wait or wait <= limit then
        return 1
    end
    return max(LEAST, 2 ^ (HALVINGS * (1 - wait / limit)))
end

-- Once per reading of the clock, like view.lua; the fields of a refusal are
-- made once per word of order-service.
local function look()
    local at = now()
    if at == looked_at then
        return
    end
    looked_at = at
    local wait, limit = signal.wait_ms(), view.backlog_max_age_ms()
    if wait == wait_ms and limit == limit_ms then
        return
    end
    wait_ms, limit_ms, share = wait, limit, share_of(wait, limit)
    fields = share < 1 and { counter = "held_back",
        more = ',"estimatedWaitMs":' .. wait } or nil
end

-- Is anybody held back?
function _M.is_on()
    look()
    return share < 1
end

-- For one that nothing else refuses: the refusal's fields when it is held
-- back; nil when it may take_turn().
function _M.hold_back()
    look()
    if due + share >= 1 then
        return nil
    end
    due = due + share
    return fields
end

-- One passes. What give_back() is to be told if it is refused after all.
function _M.take_turn()
    look()
    due = due + share - 1
    return share
end

function _M.give_back(told)
    due = due + 1 - told
end

-- How long orders wait (nil: not known) and the share that passes.
function _M.known()
    look()
    return wait_ms, share
end

return _M
