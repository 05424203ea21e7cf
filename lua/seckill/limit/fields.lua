-- What a refusal by a limiter tells of it, as the RateLimit and
-- RateLimit-Policy fields of draft-ietf-httpapi-ratelimit-headers: which
-- policy refused, that nothing is left of it, and in how many seconds there
-- will be again. The texts are made once per policy and limit.

-- Bounded: limits change while it runs, and each value has a text.
local MAX_TEXTS = 1000

local _M = {}

local texts, count = {}, 0

-- For a window of a second of so many requests. name: of the policy.
function _M.window(name, limit)
    local key = name .. limit
    local fields = texts[key]
    if fields then
        return fields
    end
    if count == MAX_TEXTS then
        texts, count = {}, 0
    end
    fields = {
        rate_limit = ('"%s";r=0;t=1'):format(name),
        rate_policy = ('"%s";q=%d;w=1'):format(name, limit),
    }
    texts[key], count = fields, count + 1
    return fields
end

-- One at a time.
_M.IN_FLIGHT = {
    rate_limit = '"in-flight";r=0',
    rate_policy = '"in-flight";q=1;qu="concurrent-requests"',
}

-- The attempts that may pass in all: nobody is told how many these are, for
-- that tells how many units are left.
_M.QUOTA = { rate_limit = '"quota";r=0' }

return _M
