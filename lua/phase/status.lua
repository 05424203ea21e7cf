-- What this node decided since its start, and how its configuration is.

local cjson = require "cjson"
local node = require "seckill.config.node"

local config = ngx.shared.seckill_config
local counters = ngx.shared.seckill_counters

local OTHERS = { "AGAIN", "PASSED", "ACCEPTED", "GIVEN_BACK", "INFLIGHT_FULL",
    "LEASE_FAILED" }

local decisions = {}
for code in pairs(node.refusals) do
    decisions[code] = counters:get("n:" .. code) or 0
end
for _, name in ipairs(OTHERS) do
    decisions[name] = counters:get("n:" .. name) or 0
end
ngx.print(cjson.encode {
    decisions = decisions,
    configVersion = config:get("version") or 0,
    configErrors = config:get("errors") or 0,
    configReadAt = config:get("read_at"),
    controlRedis = config:get("away") or "ok",
    leaseError = ngx.shared.seckill_leases:get("error"),
})
