-- The phases of an attempt. Their bodies are functions here and not in the
-- files of phase/, for these are main chunks, into which no trace of LuaJIT
-- returns: what they call would run interpreted.

local admission = require "seckill.admission"
local answer = require "seckill.request.answer"
local attempts = require "seckill.attempt"
local shape = require "seckill.request.shape"
local sold_out = require "seckill.sale.sold_out"

local get_method = ngx.req.get_method
local now = ngx.now
local var = ngx.var

local _M = {}

-- Rewrite phase: the status an attempt is refused with, "444" to cut it off,
-- or "" when nothing speaks against it. It cannot wait for anything.
function _M.decide()
    local method = get_method()
    if method ~= "POST" and shape.is_cut_off() then
        return "444"
    end
    local fault = shape.fault()
    if fault then
        return answer.prepare("BAD_REQUEST", { message = fault })
    end
    local path = var.seckill_path
    local code, fields, user, sale, quantity = attempts.decide(method,
        var.args, var.http_authorization, path ~= "" and path or nil, now())
    if code then
        return answer.prepare(code, fields)
    end
    var.seckill_user = user
    var.seckill_product = sale.product
    var.seckill_quantity = quantity
    return ""
end

-- Access phase of an attempt that was not refused: it takes what it needs to
-- pass, or is refused after all. What it holds is noted in a variable because
-- nginx's own errors wipe ngx.ctx.
function _M.admit()
    local held, code = attempts.admit(var.seckill_user, var.seckill_product)
    if not held then
        return answer.refuse_attempt(code)
    end
    var.seckill_held = held
end

-- Header filter and log phase: an attempt that was sent on gives back what it
-- held. It does so before the client can read the answer and try again; the
-- log phase is for an attempt that ends without one. An answer that never
-- came is unknown; its token goes back, since the shard decides.
function _M.release()
    local held = var.seckill_held
    if not held or held == "" then
        return
    end
    var.seckill_held = ""
    local product, epochs =
        admission.release(held, var.upstream_http_x_seckill_code)
    if var.upstream_http_x_seckill_sold_out == "1" then
        sold_out.mark(product, epochs)
    end
end

return _M
