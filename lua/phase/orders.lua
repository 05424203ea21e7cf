-- Access phase of a user's own orders: the list, one, or its payment. The
-- address asked of the service is made of what was checked, never $uri.

local answer = require "seckill.request.answer"
local attempts = require "seckill.attempt"
local params = require "seckill.request.params"
local shape = require "seckill.request.shape"

shape.check(answer.refuse)
local order = ngx.var.seckill_order or ""  -- nil or "": not in the address
local pay = ngx.var.seckill_pay or ""
local method = pay ~= "" and "POST" or "GET"

if ngx.req.get_method() ~= method then
    return answer.refuse("METHOD_NOT_ALLOWED", { allow = method })
end
local user, code, fields = attempts.caller(ngx.var.http_authorization,
    ngx.now())
if not user then
    return answer.refuse(code, fields)
end
if order ~= "" and not (#order == 24 and order:find("^%d+$")) then
    return answer.refuse("NO_SUCH_ORDER")
end
local page = ""
if order == "" then
    local asked, why = params.orders_page(ngx.var.args)
    if not asked then
        return answer.refuse("BAD_REQUEST", { message = why })
    end
    page = asked
end
ngx.var.seckill_to = "/seckill/orders"
    .. (order ~= "" and "/" .. order or "") .. pay .. page
ngx.var.seckill_user = user
