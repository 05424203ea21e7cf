-- May this attempt pass? Cheapest question first, the first refusal answers
-- (lua/README.md has the order). Nothing here calls a service.

local admission = require "seckill.admission"
local calls = require "seckill.calls"
local holders = require "seckill.sale.holders"
local identity = require "seckill.request.identity"
local node = require "seckill.config.node"
local params = require "seckill.request.params"
local paths = require "seckill.request.path"
local refusals = require "seckill.request.refusals"
local sales = require "seckill.sale.sale"
local sold_out = require "seckill.sale.sold_out"
local view = require "seckill.config.view"

local ALLOW = { allow = "POST" }
local PLAIN = {}
local LOOK = { body = refusals.body(node.refusals.SOLD_OUT,
    "Sold out; if you bought, GET /seckill/flash/sale/result says so") }

local _M = {}

-- What others are told of a sale that is sold out; nil: this user is let
-- through, for he may hold a unit.
local function none(user, sale, now)
    local holds = holders.of(user, sale.product)
    if holds then
        return nil
    elseif holds == false or not holders.may_miss(sale, now) then
        return PLAIN
    end
    return not admission.may_ask() and LOOK or nil
end

-- A user who may hold a unit; or nil and the refusal's fields. A token is
-- verified only when the user it names may: a crowd of new users costs no
-- signature. What an unverified token names has no other use, and a bad one is
-- told what everybody is told.
local function holder(authorization, sale, now)
    local claimed = identity.claimed(authorization)
    local fields = claimed and none(claimed, sale, now)
    if fields then
        return nil, fields
    end
    local user = identity.user(authorization, now)
    if not user then
        return nil, PLAIN
    end
    fields = none(user, sale, now)
    return not fields and user or nil, fields
end

-- What is the same for everybody who holds nothing, token or not: nil, or the
-- refusal's code and its fields. The user as third where it had to be known.
local function public(sale, quantity, authorization, now)
    if quantity > sale.per_user_limit then
        return "BAD_REQUEST", { message = "quantity: at most "
            .. sale.per_user_limit .. " of this product per user" }
    end
    local code, fields = sales.closed(sale, now * 1000)
    if code then
        return code, fields
    end
    local user
    if sold_out.is(sale) then
        user, fields = holder(authorization, sale, now)
        if not user then
            return "SOLD_OUT", fields
        end
    end
    if admission.is_closed(sale.product) then
        return "PAUSED"
    end
    return nil, nil, user
end

-- What an attempt asks for, from its method and query alone: nil, nil, product
-- and quantity; or the refusal's code and its fields.
function _M.read(method, args)
    if method ~= "POST" then
        return "METHOD_NOT_ALLOWED", ALLOW
    end
    local product, quantity, why = params.attempt(args)
    if not quantity then
        return "BAD_REQUEST", { message = why }
    end
    return nil, nil, product, quantity
end

-- The refusal's code and its fields; or nil, nil, the user, the sale, and
-- whether the user is let through although it is sold out.
local function check(product, quantity, authorization, now)
    local sale = view.sale(product)
    if not sale then
        return view.loaded() and "NO_SUCH_SALE" or "BUSY"
    end
    local code, fields, user = public(sale, quantity, authorization, now)
    if code then
        return code, fields
    end
    local is_let = user ~= nil
    user = user or identity.user(authorization, now)
    if not user then
        return "UNAUTHENTICATED"
    end
    return nil, nil, user, sale, is_let
end

-- nil, or the refusal's code.
local function check_path(path, user, sale, now)
    if not sale.path then
        return path and "NOT_FOUND" or nil
    end
    if not path or not paths.valid(path, user, sale.product, node.keys,
            now * 1000) then
        return "FORBIDDEN"
    end
end

-- All that can be said of an attempt without taking anything. path: the
-- signed one or nil; now: seconds. nil, nil and the user; or the refusal's
-- code and its fields.
function _M.decide(product, quantity, authorization, path, now)
    local code, fields, user, sale, is_let =
        check(product, quantity, authorization, now)
    if code then
        return code, fields
    end
    code = check_path(path, user, sale, now)
    if not code then
        code, fields = admission.foresee(user, product, is_let)
    end
    return code, fields, user
end

-- For an attempt that decide() let through: a text that says what it holds
-- until admission.release(); or nil, the refusal's code and its fields, holding
-- nothing.
function _M.admit(user, product, now)
    local sale = view.sale(product)
    if not sale then
        return nil, "NO_SUCH_SALE"
    end
    local is_ask = holders.may_miss(sale, now) and sold_out.is(sale)
    local held, code, fields = admission.take(user, product, sale.epochs,
        is_ask)
    if is_ask and code == "TOO_MANY_REQUESTS" then
        return nil, "SOLD_OUT", LOOK
    end
    return held, code, fields
end

-- A call of a user to any other route. The user; or nil, the refusal's code
-- and its fields.
function _M.caller(authorization, now)
    local user = identity.user(authorization, now)
    if not user then
        return nil, "UNAUTHENTICATED"
    end
    local code, fields = calls.take(user)
    if code then
        return nil, code, fields
    end
    return user
end

-- May this user have a signed path? user and product; or nil, the refusal's
-- code and its fields.
function _M.admit_path(method, args, authorization, now)
    local code, fields, product, quantity = _M.read(method, args)
    local user, sale
    if not code then
        code, fields, user, sale = check(product, quantity, authorization, now)
    end
    if code then
        return nil, code, fields
    elseif not sale.path then
        return nil, "NOT_FOUND"
    end
    code, fields = calls.take_path(user, product)
    if code then
        return nil, code, fields
    end
    return user, product
end

return _M
