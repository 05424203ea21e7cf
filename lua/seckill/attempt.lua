-- May this attempt pass? Cheapest question first, the first refusal answers
-- (lua/README.md has the order). Nothing here calls a service.

local admission = require "seckill.admission"
local holders = require "seckill.sale.holders"
local identity = require "seckill.request.identity"
local node = require "seckill.config.node"
local params = require "seckill.request.params"
local paths = require "seckill.request.path"
local sales = require "seckill.sale.sale"
local sold_out = require "seckill.sale.sold_out"
local view = require "seckill.config.view"

local _M = {}

-- productId, quantity and user, from the request alone.
local function read(request, method)
    if request.method ~= method then
        return nil, "METHOD_NOT_ALLOWED", { allow = method }
    end
    local found, why = params.read(request.args)
    local product, quantity
    if found then
        product, why = params.product(found)
    end
    if product then
        quantity, why = params.quantity(found)
    end
    if not quantity then
        return nil, "BAD_REQUEST", { message = why }
    end
    local user = identity.user(request.authorization, request.now)
    if not user then
        return nil, "UNAUTHENTICATED"
    end
    return { product = product, quantity = quantity, user = user }
end

-- Adds the sale, or says why it is not to be had now.
local function with_sale(attempt, request)
    local sale = view.sale(attempt.product)
    if not sale then
        return nil, view.loaded() and "NO_SUCH_SALE" or "BUSY"
    end
    if attempt.quantity > sale.per_user_limit then
        return nil, "BAD_REQUEST", { message = "quantity: at most "
            .. sale.per_user_limit .. " of this product per user" }
    end
    local code, fields = sales.closed(sale, request.now * 1000)
    if code then
        return nil, code, fields
    end
    attempt.epochs, attempt.signed = sale.epochs, sale.path
    attempt.again = holders.may_hold(attempt.user, attempt.product)
    if not attempt.again and sold_out.is(sale) then
        return nil, "SOLD_OUT"
    end
    return attempt
end

local function check(request, method)
    local attempt, code, fields = read(request, method)
    if not attempt then
        return nil, code, fields
    end
    return with_sale(attempt, request)
end

-- nil, or the refusal's code.
local function check_path(attempt, request)
    if not attempt.signed then
        return request.path and "NOT_FOUND" or nil
    end
    if not request.path or not paths.valid(request.path, attempt.user,
            attempt.product, node.keys, request.now * 1000) then
        return "FORBIDDEN"
    end
end

-- request: method, args, authorization, path, now (seconds). The attempt,
-- holding a token and a mark in flight until admission.release(); or nil, the
-- refusal's code and its fields, holding nothing.
function _M.admit(request)
    local attempt, code, fields = check(request, "POST")
    if not attempt then
        return nil, code, fields
    end
    code = check_path(attempt, request)
    if code then
        return nil, code
    end
    code = admission.take(attempt)
    if code then
        return nil, code
    end
    return attempt
end

-- A call of a user to any other route. The user, or nil and the refusal's
-- code.
function _M.caller(authorization, now)
    local user = identity.user(authorization, now)
    if not user then
        return nil, "UNAUTHENTICATED"
    end
    local code = admission.take_call(user)
    if code then
        return nil, code
    end
    return user
end

-- May this user have a signed path? The attempt, or nil, the refusal's code
-- and its fields.
function _M.admit_path(request)
    local attempt, code, fields = check(request, "POST")
    if not attempt then
        return nil, code, fields
    end
    if not attempt.signed then
        return nil, "NOT_FOUND"
    end
    code = admission.take_path(attempt.user, attempt.product)
    if code then
        return nil, code
    end
    return attempt
end

return _M
