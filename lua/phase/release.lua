-- Header filter and log phase: an attempt that was sent on gives back what it
-- held. It does so before the client can read the answer and try again; the
-- log phase is for an attempt that ends without one. An answer that never
-- came is unknown; its token goes back, since the shard decides.

local held = ngx.var.seckill_held
if not held or held == "" then
    return
end
ngx.var.seckill_held = ""

local admission = require "seckill.admission"
local sold_out = require "seckill.sale.sold_out"

local product, epochs =
    admission.release(held, ngx.var.upstream_http_x_seckill_code)
if ngx.var.upstream_http_x_seckill_sold_out == "1" then
    sold_out.mark(product, epochs)
end
