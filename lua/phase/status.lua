-- What this node decided since its start, and how its configuration is.

local cjson = require "cjson"
local counters = require "seckill.counters"

local config = ngx.shared.seckill_config
local read = counters.read

local decisions = {
    AGAIN = read "again",
    PASSED = read "first",
    ACCEPTED = read(counters.first_answered.ACCEPTED),
    GIVEN_BACK = read "given_back",
    INFLIGHT_FULL = read(counters.limiter_error.in_flight),
    LEASE_FAILED = read "leases_failed",
}
for code in pairs(counters.refused) do
    decisions[code] = read(counters.refused[code])
        + read(counters.call_refused[code])
end
-- An attempt without an answer was told BUSY.
decisions.BUSY = decisions.BUSY + read(counters.first_answered.NO_ANSWER)
    + read(counters.again_answered.NO_ANSWER)

ngx.print(cjson.encode {
    decisions = decisions,
    configVersion = config:get("version") or 0,
    configErrors = config:get("errors") or 0,
    configReadAt = config:get("read_at"),
    controlRedis = config:get("away") or "ok",
    leaseError = ngx.shared.seckill_leases:get("error"),
})
