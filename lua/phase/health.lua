-- UP once it is known what is in force, read of the control Redis or kept by
-- the last start, and it has a share of the rate of all nodes; without these
-- every attempt would be refused.

local reason
if not require("seckill.config.view").loaded() then
    reason = "the control Redis was not read, or has lost its limits"
elseif require("seckill.limit.share").is_waiting() then
    reason = "it waits for its share of edge.global_qps, two seconds at most"
end
ngx.status = reason and 503 or 200
ngx.print(reason and '{"status":"DOWN","reason":"' .. reason .. '"}'
    or '{"status":"UP"}')
