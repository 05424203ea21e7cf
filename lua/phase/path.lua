-- Access phase of the call for a signed path.

local answer = require "seckill.request.answer"
local attempts = require "seckill.attempt"
local shape = require "seckill.request.shape"

shape.check(answer.refuse)
local attempt, code, fields = attempts.admit_path {
    method = ngx.req.get_method(),
    args = ngx.var.args,
    authorization = ngx.var.http_authorization,
    now = ngx.now(),
}
if not attempt then
    return answer.refuse(code, fields)
end
ngx.var.seckill_user = attempt.user
ngx.var.seckill_product = attempt.product
