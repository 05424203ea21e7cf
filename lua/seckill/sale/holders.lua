-- Users who may hold a unit: an attempt of theirs was accepted, or nobody knows
-- what became of it. They are let through to the shards even when the product
-- is sold out or its quota used up, because "sold out" would be a wrong answer
-- to somebody who has bought: the shard says ALREADY_BOUGHT, which one.
--
-- PRODUCT|USER   true: may hold one; for ten minutes, or until a shard says
--   that nothing is held. false: was not known after a start, was asked for,
--   and holds none; until the node knows all. Its flags: when that sale starts,
--   for a synthetic product may have another later.
--   A full dict marks nobody: such a user is told SOLD_OUT and has /result.
-- since          when (seconds) this dict began to know, for good
--
-- A node that was started while a sale was on does not know who bought before.
-- After ten minutes it knows as much as one that was there, for no mark is
-- older. Until then a user of whom it has heard nothing is asked for behind it,
-- once and at a bounded rate (admission.lua).

local forced = require "seckill.forced"
local view = require "seckill.config.view"

local holders = ngx.shared.seckill_holders

local KEEP_SECONDS = 600

-- Answers that leave no doubt what the user holds. Any other (BUSY, for one)
-- took nothing and says nothing.
local HOLDS = { ACCEPTED = true, ALREADY_BOUGHT = true }
local HOLDS_NOTHING = { SOLD_OUT = true, ENDED = true, NO_SUCH_SALE = true }

local MOST_FLAGS = 2 ^ 31  -- milliseconds begin anew then

local _M = {}

local since

-- At a start; a reload finds the dict as it was.
function _M.init(now)
    forced.add("seckill_holders", "since", now)
end

-- The user last: LuaJIT hashes a text by its end and few bytes more, and users
-- who differ there do not meet in one chain of its table of texts.
local function key(user, product)
    return product .. "|" .. user
end

local function start_of(product)
    local sale = view.sale(product)
    return sale and sale.start_at_ms % MOST_FLAGS or 0
end

-- A mark that names no start is a former build's, or its sale was gone: it
-- counts, for "sold out" would be the worse mistake.
-- true: may hold a unit; false: was asked for and holds none; nil: no word.
function _M.of(user, product)
    local holds, start = holders:get(key(user, product))
    if holds ~= nil and (not start or start == start_of(product)) then
        return holds
    end
end

function _M.may_hold(user, product)
    return _M.of(user, product) == true
end

-- May somebody hold a unit of this sale of whom this node has never heard?
function _M.may_miss(sale, now)
    since = since or holders:get("since") or now
    return now - since < KEEP_SECONDS and sale.start_at_ms < since * 1000
end

-- code: of the service's answer, nil when it told none; is_sent: it may have
-- heard of the attempt; was_asked: because nothing was known of the user.
function _M.learn(user, product, code, is_sent, was_asked)
    if HOLDS[code] or not code and is_sent then
        holders:safe_set(key(user, product), true, KEEP_SECONDS,
            start_of(product))
    elseif HOLDS_NOTHING[code] then
        if was_asked then
            holders:safe_set(key(user, product), false, KEEP_SECONDS,
                start_of(product))
        else
            holders:delete(key(user, product))
        end
    end
end

return _M
