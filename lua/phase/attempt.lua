-- Access phase of an attempt: refuse, or send it on and note what it holds.
-- The note is a variable because nginx's own errors wipe ngx.ctx.

local admission = require "seckill.admission"
local answer = require "seckill.request.answer"
local attempts = require "seckill.attempt"
local shape = require "seckill.request.shape"

shape.check(answer.refuse_attempt)
local var = ngx.var
local path = var.seckill_path
local attempt, code, fields = attempts.admit {
    method = ngx.req.get_method(),
    args = var.args,
    authorization = var.http_authorization,
    path = path ~= "" and path or nil,
    now = ngx.now(),
}
if not attempt then
    return answer.refuse_attempt(code, fields)
end
var.seckill_held = admission.note(attempt)
var.seckill_user = attempt.user
var.seckill_product = attempt.product
var.seckill_quantity = attempt.quantity
