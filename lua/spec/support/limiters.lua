-- Limiters as the cases of spec/inside/ make them: each lets two takes of a
-- key pass (a mark in flight: one), in the dict that is given.

local _M = {}

-- One unit at a time, nothing but a table: the least that keeps the contract.
function _M.tiny(limit)
    local taken = {}
    return {
        incoming = function(_, key, commit)
            local count = (taken[key] or 0) + 1
            if count > limit then
                return nil, "rejected"
            end
            if commit then
                taken[key] = count
            end
            return 0, limit - count
        end,
        uncommit = function(_, key)
            taken[key] = taken[key] - 1
            return true
        end,
        taken = taken,
    }
end

-- A limiter that cannot tell.
function _M.broken(err)
    return {
        incoming = function()
            return nil, err
        end,
        uncommit = function()
            error("nothing was taken")
        end,
    }
end

-- A module of OpenResty's. Where the machine has none, the case is skipped.
function _M.theirs(module)
    local found, made = pcall(require, module)
    if not found then
        error("skip: " .. module .. " is not on this machine", 0)
    end
    return made
end

local function two()
    return 2
end

local function noon()
    return 43200.5
end

-- Somebody who has this many tokens of this epoch to give, and may take
-- seconds for it. Counts how often it was asked, and for how many.
function _M.source(tokens, epoch)
    local source = { tokens = tokens, epoch = epoch, asked = 0, most = 0 }
    function source.refill(_, count)
        source.asked, source.last = source.asked + 1, count
        source.most = math.max(source.most, count)
        if source.seconds then
            ngx.sleep(source.seconds)
        end
        if source.error then
            return nil, source.error
        end
        local got = math.min(count, source.tokens)
        source.tokens = source.tokens - got
        return got, source.epoch
    end
    return source
end

local function rate(algorithm, burst_s)
    return { limit = two(), make = function(dict)
        return require("seckill.limit.algorithms")[algorithm](dict, "w", two,
            burst_s, noon)
    end }
end

-- Of OpenResty's module of this kind; value: of a window or burst.
local function adapted(kind, value)
    return { limit = two(), make = function(dict)
        _M.theirs("resty.limit." .. kind)
        return require("seckill.limit.resty_" .. kind).new(
            dict == ngx.shared.tiny and "tiny" or "roomy", kind, two(), value)
    end }
end

-- Makers of each limiter, and how many takes of one key pass.
_M.all = {
    fixed_window = rate "fixed_window",
    sliding_window = rate "sliding_window",
    token_bucket = rate("token_bucket", 1),
    leaky_bucket = rate("leaky_bucket", 0.5),
    in_flight = { limit = 1, make = function(dict)
        return require("seckill.limit.in_flight").new(dict, 6)
    end },
    lease = { limit = two(), make = function(dict)
        local sources = {}
        return require("seckill.limit.lease").new(dict, function(key, count)
            sources[key] = sources[key] or _M.source(two(), "1")
            return sources[key].refill(key, count)
        end)
    end },
    resty_count = adapted("count", 60),
    resty_req = adapted("req", 1),
}

-- Leaves no room in a dict, whatever the size of an entry.
function _M.fill(dict)
    for size = 2000, 1, -60 do
        local i = 0
        repeat
            i = i + 1
            local ok = dict:safe_add("fill" .. size .. "-" .. i,
                ("x"):rep(size))
        until not ok
    end
end

return _M
