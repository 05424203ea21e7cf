-- Access phase of the poll for an attempt's result.

local answer = require "seckill.request.answer"
local attempts = require "seckill.attempt"
local params = require "seckill.request.params"
local shape = require "seckill.request.shape"

shape.check(answer.refuse)
if ngx.req.get_method() ~= "GET" then
    return answer.refuse("METHOD_NOT_ALLOWED", { allow = "GET" })
end
local found, why = params.read(ngx.var.args)
local product
if found then
    product, why = params.product(found)
end
if not product then
    return answer.refuse("BAD_REQUEST", { message = why })
end
local user, code, fields = attempts.caller(ngx.var.http_authorization,
    ngx.now())
if not user then
    return answer.refuse(code, fields)
end
ngx.var.seckill_user = user
ngx.var.seckill_product = product
