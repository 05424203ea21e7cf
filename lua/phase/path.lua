-- Access phase of the call for a signed path.

local answer = require "seckill.request.answer"
local attempts = require "seckill.attempt"
local shape = require "seckill.request.shape"

shape.check(answer.refuse)
local var = ngx.var
local user, product, fields = attempts.admit_path(ngx.req.get_method(),
    var.args, var.http_authorization, ngx.now())
if not user then
    return answer.refuse(product, fields)
end
var.seckill_user = user
var.seckill_product = product
