-- Tokens in this node's hand, by key: leased, and not yet spent.
--
-- tokens:KEY:EPOCH   unit: tokens; gone ten minutes after the last fill, as are
--   the next two
-- epoch:KEY          which of these is spent: the last fill's. Its flags: from
--   how many tokens on the next refill begins; one look tells both
-- last:KEY           when the last fill came, and how many were there then
--
-- A spend is one incr: it counts when the result is not negative, else it is
-- taken back. The sum of tokens is never more than was filled in, so no worker
-- passes more than was issued. A fill of another epoch leaves the old tokens
-- behind: nobody spends them, and one that is given back goes to them and not
-- to the new ones. No room is an error.

local floor, max = math.floor, math.max
local now = ngx.now

local TOKENS_SECONDS = 600

local _M = {}

local function tokens_of(key, epoch)
    return "tokens:" .. key .. ":" .. epoch
end

function _M.left(dict, key)
    local epoch = dict:get("epoch:" .. key)
    return epoch and dict:get(tokens_of(key, epoch)) or 0
end

-- When the last fill came (seconds), and how many were there then; or nil.
function _M.last(dict, key)
    return (dict:get("last:" .. key) or ""):match("^(%S+) (%S+)$")
end

-- The tokens before the epoch: who reads the epoch finds them.
function _M.fill(dict, key, epoch, count)
    local purse, tokens = tokens_of(key, epoch), count
    local ok, err = dict:safe_add(purse, count, TOKENS_SECONDS)
    if err == "exists" then
        tokens = dict:incr(purse, count) or count
        dict:expire(purse, TOKENS_SECONDS)
    elseif not ok then
        return nil, err
    end
    dict:safe_set("last:" .. key, ("%.3f %d"):format(now(), tokens),
        TOKENS_SECONDS)
    return dict:safe_set("epoch:" .. key, epoch, TOKENS_SECONDS,
        max(0, floor(tokens / 2)))
end

-- The epoch of the token taken and whether few are left; or nil.
function _M.spend(dict, key)
    local epoch, few = dict:get("epoch:" .. key)
    if not epoch then
        return nil
    end
    local purse = tokens_of(key, epoch)
    local left = dict:incr(purse, -1)
    if not left then
        return nil
    elseif left < 0 then
        dict:incr(purse, 1)
        return nil
    end
    return epoch, left <= (few or 0)
end

-- Gives one token back: to its epoch, or to the present one.
function _M.give_back(dict, key, epoch)
    epoch = epoch or dict:get("epoch:" .. key)
    return epoch and dict:incr(tokens_of(key, epoch), 1)
end

-- Nothing is left of a key; a token given back later goes nowhere.
function _M.forget(dict, key)
    dict:delete(tokens_of(key, dict:get("epoch:" .. key) or ""))
    dict:delete("epoch:" .. key)
    dict:delete("last:" .. key)
end

return _M
