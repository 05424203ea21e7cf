-- Tokens leased a few at a time from somebody who counts for all nodes, and
-- spent here. Who that is, a refill knows; this one spends, refills, pauses.
--
-- tokens:KEY:EPOCH   unit: tokens leased and not yet spent; gone ten minutes
--   after the last refill
-- epoch:KEY          which of these is spent: the last refill's; as long
-- pause:KEY          "rejected" or an error: no refill for a moment
-- leasing:KEY        one request at a time refills
--
-- A spend is one incr: it counts when the result is not negative, else it is
-- taken back. The sum of tokens is never more than leased, so no worker
-- passes more than was issued. A refill of another epoch leaves the old
-- tokens behind: nobody spends them, and one that is given back goes to them
-- and not to the new ones. A refill whose reply is lost is issued and never
-- spent, like the tokens of a node that died. No room is an error.

local BATCH = 32
local TOKENS_SECONDS = 600
local PAUSE_SECONDS = 0.1
local REFILL_SECONDS = 0.5  -- more than any refill takes

local _M = {}
local MT = { __index = _M }

-- refill(key, count): how many tokens it got, 0 to count, and their epoch (a
-- text); or nil and an error. It may yield.
function _M.new(dict, refill)
    return setmetatable({ dict = dict, refill = refill }, MT)
end

local function purse_of(key, epoch)
    return "tokens:" .. key .. ":" .. epoch
end

local function spend(dict, purse)
    local left = dict:incr(purse, -1)
    if left and left >= 0 then
        return true
    end
    if left then
        dict:incr(purse, 1)
    end
    return false
end

local function pause(dict, key, why)
    dict:safe_set("pause:" .. key, why, PAUSE_SECONDS)
    return nil, why
end

-- The purse before the epoch: who reads the epoch finds the purse.
local function fill(dict, key, epoch, count)
    local purse = purse_of(key, epoch)
    local ok, err = dict:safe_add(purse, count, TOKENS_SECONDS)
    if err == "exists" then
        dict:incr(purse, count)
        dict:expire(purse, TOKENS_SECONDS)
    elseif not ok then
        return nil, err
    end
    return dict:safe_set("epoch:" .. key, epoch, TOKENS_SECONDS)
end

-- Leases a batch and keeps one of it for the caller: its epoch.
local function refill(self, key)
    local count, epoch = self.refill(key, BATCH)
    if not count then
        return pause(self.dict, key, epoch)
    end
    if count == 0 then
        return pause(self.dict, key, "rejected")
    end
    local ok, err = fill(self.dict, key, epoch, count - 1)
    if not ok then
        return pause(self.dict, key, err)
    end
    return epoch
end

local function refill_alone(self, key)
    local leasing = "leasing:" .. key
    local ok, err = self.dict:safe_add(leasing, true, REFILL_SECONDS)
    if not ok then
        return nil, err == "exists" and "rejected" or err
    end
    local epoch, why = refill(self, key)
    self.dict:delete(leasing)
    return epoch, why
end

-- The epoch of the token taken, or nil and why there is none.
local function take(self, key)
    local epoch = self.dict:get("epoch:" .. key)
    if epoch and spend(self.dict, purse_of(key, epoch)) then
        return epoch
    end
    local why = self.dict:get("pause:" .. key)
    if why then
        return nil, why
    end
    return refill_alone(self, key)
end

-- 0 and the token's epoch; nil and "rejected": none left for now, or another
-- request is asking; nil and an error. Without commit no token is spent, but
-- a batch may be leased.
function _M:incoming(key, commit)
    local epoch, why = take(self, key)
    if not epoch then
        return nil, why
    end
    if not commit then
        self:uncommit(key, epoch)
    end
    return 0, epoch
end

-- Is nothing left, and known that nothing is to be had for now? Asks nobody.
function _M:is_used_up(key)
    if self.dict:get("pause:" .. key) ~= "rejected" then
        return false
    end
    local epoch = self.dict:get("epoch:" .. key)
    return not epoch or (self.dict:get(purse_of(key, epoch)) or 0) <= 0
end

-- Gives one token back: to its epoch, or to the present one.
function _M:uncommit(key, epoch)
    epoch = epoch or self.dict:get("epoch:" .. key)
    return epoch and self.dict:incr(purse_of(key, epoch), 1)
end

-- Nothing is left of a key; a token given back later goes nowhere.
function _M.forget(dict, key)
    dict:delete(purse_of(key, dict:get("epoch:" .. key) or ""))
    dict:delete("epoch:" .. key)
    dict:delete("pause:" .. key)
end

return _M
