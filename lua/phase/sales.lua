-- Content phase of the public sales: all of them or one, from what this
-- node knows; no service is asked.

local answer = require "seckill.request.answer"
local catalog = require "seckill.sale.catalog"
local params = require "seckill.request.params"
local shape = require "seckill.request.shape"
local view = require "seckill.config.view"

shape.check(answer.refuse)
local method = ngx.req.get_method()
local product = ngx.var.seckill_sale

if method ~= "GET" and method ~= "HEAD" then
    return answer.refuse("METHOD_NOT_ALLOWED", { allow = "GET, HEAD" })
end
if not view.loaded() then
    return answer.refuse("BUSY")
end
if not product or product == "" then
    return answer.json(catalog.all(ngx.now()))
end
if not params.is_product(product) then
    return answer.refuse("BAD_REQUEST",
        { message = "productId: must be a number of 1 to 18 digits" })
end
local text = catalog.one(product, ngx.now())
if not text then
    return answer.refuse("NO_SUCH_SALE")
end
return answer.json(text)
