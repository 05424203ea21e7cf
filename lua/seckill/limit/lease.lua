-- Tokens leased from somebody who counts for all nodes, and spent here. Who
-- that is, a refill knows; this one spends, refills in time, pauses.
--
-- trouble:KEY        the error of the last refill, TROUBLE_SECONDS
-- pause:KEY          "rejected" or an error: no refill for a moment. Its flags:
--   when that began, by the clock that nobody sets, or a time of day set back
--   by an hour would make an hour of it
-- leasing:KEY        some worker refills; where there is no room for this, none
--   does, for what it got would be lost
--
-- A refill is a job in the background. It begins when half of the last one is
-- spent, so nobody waits for it while there is demand of one kind. Whoever
-- finds nothing left all the same waits for one of its own worker, and takes
-- none from others: two workers that found nothing both refill. After one that
-- brought nothing there is none for PAUSE_SECONDS, and for a while after an
-- error nobody waits: who counts may be away or hung, and while attempts come
-- only those wait who came before that was known.

local monotonic = require "seckill.limit.monotonic"
local purse = require "seckill.limit.purse"
local refills = require "seckill.limit.refills"

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local now = ngx.now

local PAUSE_SECONDS = 0.1
local MOST_FLAGS = 2 ^ 31  -- milliseconds begin anew then
local TROUBLE_SECONDS = 1  -- some times a pause and a refill
local LEASING_SECONDS = 0.5  -- more than any refill takes
local WAIT_SECONDS = 0.25  -- a little more than one takes at most

-- Tokens of a refill: what is spent in AHEAD_SECONDS, and a few at least. A
-- short burst is no demand, hence at most GROWTH times what was spent.
local AHEAD_SECONDS = 0.5
local GROWTH = 8
local FEWEST, MOST = 32, 10000

local _M = {}
local MT = { __index = _M }

local function milliseconds()
    return floor(monotonic() * 1000) % MOST_FLAGS
end

local function pause(dict, key, why)
    dict:safe_set("pause:" .. key, why, PAUSE_SECONDS, milliseconds())
    return why
end

-- Why there is no refill for now; or nil.
local function paused(dict, key)
    local why, began_ms = dict:get("pause:" .. key)
    return why and (milliseconds() - (began_ms or 0)) % MOST_FLAGS
        <= PAUSE_SECONDS * 1000 and why or nil
end

local function fail(dict, key, err)
    dict:safe_set("trouble:" .. key, err, TROUBLE_SECONDS)
    return pause(dict, key, err)
end

-- How many to ask for. A clock that was set makes one refill too small or
-- too large, within the bounds.
local function wanted(dict, key, left, waiting)
    local at, tokens = purse.last(dict, key)
    local demand = 0
    if at then
        local spent = max(0, tokens - left)
        demand = min(spent * GROWTH,
            spent * AHEAD_SECONDS / max(0.001, now() - at))
    end
    return min(MOST, max(FEWEST, waiting, ceil(demand - left)))
end

-- nil, or why there are no more tokens than before.
local function refill_now(dict, key, count, epoch)
    if not count then
        return fail(dict, key, epoch)
    end
    dict:delete("trouble:" .. key)
    if count == 0 then
        return pause(dict, key, "rejected")
    end
    local ok, err = purse.fill(dict, key, epoch, count)
    if not ok then
        return fail(dict, key, err)
    end
end

-- refill(key, count): how many tokens it got, 0 to count, and their epoch (a
-- text); or nil and an error. It may yield, for less than WAIT_SECONDS.
function _M.new(dict, refill)
    local jobs = refills.new(function(key, job)
        local ok, err = dict:safe_set("leasing:" .. key, true,
            LEASING_SECONDS)
        if not ok then
            return err
        end
        local count = wanted(dict, key, purse.left(dict, key), job.waiting)
        local why = refill_now(dict, key, refill(key, count))
        dict:delete("leasing:" .. key)
        return why
    end)
    return setmetatable({ dict = dict, jobs = jobs }, MT)
end

-- One worker of the node, and not while it is known to be in vain.
local function refill_early(self, key)
    if not self.jobs:is_running(key) and not paused(self.dict, key)
            and self.dict:safe_add("leasing:" .. key, true,
                LEASING_SECONDS) then
        self.jobs:start(key)
    end
end

-- The epoch of the token taken, or nil.
local function spend(self, key)
    local epoch, are_few = purse.spend(self.dict, key)
    if are_few then
        refill_early(self, key)
    end
    return epoch
end

-- Each round waits for a whole refill, so there are few of them.
local function wait_and_spend(self, key)
    local ends = now() + WAIT_SECONDS
    repeat
        local job = self.jobs:start(key)
        if not self.jobs.wait(job, ends - now()) then
            return nil, "rejected"
        end
        local epoch = spend(self, key)
        if epoch or job.why then
            return epoch, job.why
        end
    until now() >= ends
    return nil, "rejected"
end

-- The epoch of the token taken, or nil and why there is none.
local function take(self, key)
    local epoch = spend(self, key)
    if epoch then
        return epoch
    end
    local why = paused(self.dict, key)
    if why then
        return nil, why
    end
    why = self.dict:get("trouble:" .. key)
    if why then
        self.jobs:start(key)
        return nil, why
    end
    return wait_and_spend(self, key)
end

-- 0 and the token's epoch; nil and "rejected": none left for now, or too many
-- wait for a refill, or for too long; nil and an error. It may yield. Without
-- commit no token is spent, but some may be leased.
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
    return paused(self.dict, key) == "rejected"
        and purse.left(self.dict, key) <= 0
end

-- Gives one token back: to its epoch, or to the present one.
function _M:uncommit(key, epoch)
    return purse.give_back(self.dict, key, epoch)
end

-- Nothing is left of a key; a token given back later goes nowhere.
function _M.forget(dict, key)
    purse.forget(dict, key)
    dict:delete("trouble:" .. key)
    dict:delete("pause:" .. key)
end

return _M
