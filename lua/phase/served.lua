-- Log phase of a request other than an attempt that ends in its own location:
-- it was served, unless it was refused there, which answer.lua has counted.
-- What nginx refuses ends in /refused.

local calls = require "seckill.calls"
local counters = require "seckill.counters"

local PROXIED = { path = true, result = true, orders = true }

local var = ngx.var
local route = var.seckill_route
local refused
if PROXIED[route] then
    calls.leave()
    refused = var.seckill_user == ""
else
    refused = ngx.status >= 400
end
if not refused then
    counters.count(counters.served[route])
end
