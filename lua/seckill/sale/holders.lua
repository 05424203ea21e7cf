-- Users who may hold a unit: an attempt of theirs was accepted, or its answer
-- never came. They are let through to the shards even when the product is
-- sold out or its quota used up, because "sold out" would be a wrong answer
-- to somebody who has bought: the shard says ALREADY_BOUGHT, which one.
--
-- PRODUCT|USER   one per attempt that passed and was not refused;
--   forgotten after ten minutes, or when a shard says that nothing is held,
--   or with the sale.
--   A full dict marks nobody: such a user is told SOLD_OUT and has /result.

local holders = ngx.shared.seckill_holders

local KEEP_SECONDS = 600

-- Answers that leave no doubt that the user holds nothing.
local HOLDS_NOTHING = { SOLD_OUT = true, ENDED = true, NO_SUCH_SALE = true }

-- Entries deleted in one go by the one worker that forgets.
local PAGE = 1000

local _M = {}

-- The user last: LuaJIT hashes a text by its end and few bytes more, and users
-- who differ there do not meet in one chain of its table of texts.
local function key(user, product)
    return product .. "|" .. user
end

function _M.may_hold(user, product)
    return holders:get(key(user, product)) == true
end

-- code: of the service's answer, nil when none came.
function _M.learn(user, product, code)
    if HOLDS_NOTHING[code] then
        holders:delete(key(user, product))
    else
        holders:safe_set(key(user, product), true, KEEP_SECONDS)
    end
end

-- products: a set of those that are gone. The dict knows no other way to find
-- their users than to name every key, which halts all for some ms; so this is
-- for a sale's end alone. Called in a timer.
function _M.forget(products)
    local count = 0
    for _, name in ipairs(holders:get_keys(0)) do
        if products[name:match("^(%d+)|")] then
            holders:delete(name)
            count = count + 1
            if count % PAGE == 0 then
                ngx.sleep(0)
            end
        end
    end
end

return _M
