-- What this node decided since its start, and how its configuration is.

local backlog = require "seckill.backlog"
local cjson = require "cjson"
local counters = require "seckill.counters"

local state = ngx.shared.seckill_state
local read = counters.read

local decisions = {
    AGAIN = read "again",
    PASSED = read "first",
    ACCEPTED = read(counters.first_answered.ACCEPTED),
    GIVEN_BACK = read "given_back",
    INFLIGHT_FULL = read(counters.limiter_error.in_flight),
    LEASE_FAILED = read "leases_failed",
    HELD_BACK = read "held_back",
}
for code in pairs(counters.refused) do
    decisions[code] = read(counters.refused[code])
        + read(counters.call_refused[code])
end
-- One that was held back or had no answer was told BUSY.
decisions.BUSY = decisions.BUSY + decisions.HELD_BACK
    + read(counters.first_answered.NO_ANSWER)
    + read(counters.again_answered.NO_ANSWER)

local wait_ms, share = backlog.known()

ngx.print(cjson.encode {
    decisions = decisions,
    configVersion = state:get("version") or 0,
    configErrors = state:get("errors") or 0,
    configReadAt = state:get("read_at"),
    controlRedis = state:get("away") or "ok",
    changeHints = state:get("hints"),
    limits = state:get("lost") and "lost" or "kept",
    leaseError = state:get("lease_error"),
    backlog = wait_ms and { estimatedWaitMs = wait_ms, share = share },
})
