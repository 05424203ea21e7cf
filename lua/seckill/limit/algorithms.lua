-- By its name, how a limiter of a rate counts: what each keeps to, and what it
-- costs, is in lua/README.md.

local buckets = require "seckill.limit.bucket"

local _M = {}

local function windows(module)
    local made = require(module)
    return function(dict, name, limit_of, _, clock)
        return made.new(dict, name, limit_of, clock)
    end
end

local function bucket(is_leaky)
    return function(dict, name, limit_of, burst_s, clock)
        return buckets.new(dict, name, limit_of, burst_s, is_leaky, clock)
    end
end

-- Makers: (dict, name, limit_of, burst_s, clock). clock may be nil.
_M.fixed_window = windows "seckill.limit.fixed_window"
_M.sliding_window = windows "seckill.limit.sliding_window"
_M.token_bucket = bucket(false)
_M.leaky_bucket = bucket(true)

return _M
