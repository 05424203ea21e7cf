-- The phases of an attempt. Their bodies are functions here and not in the
-- files of phase/, for these are main chunks, into which no trace of LuaJIT
-- returns: what they call would run interpreted.

local admission = require "seckill.admission"
local answer = require "seckill.request.answer"
local attempts = require "seckill.attempt"
local bounds = require "seckill.config.bounds"
local leaving = require "seckill.request.leaving"
local shape = require "seckill.request.shape"
local sold_out = require "seckill.sale.sold_out"
local tops = require "seckill.tops"

local find = string.find
local get_method = ngx.req.get_method
local now = ngx.now
local var = ngx.var

local _M = {}

local BAD_KEY = { message = "Idempotency-Key: must be 1 to 64 of A-Z a-z 0-9"
    .. " . _ : -" }

-- What is asked for by request lines that nothing was wrong with and that have
-- no signed path: of each product, all of a crowd send one of a few. Bounded,
-- to some 6 MB of a worker: what is in use comes back at once.
local MAX_LINES, MAX_LINE_BYTES = 2 * bounds.products, 128
local asked, line_count = {}, 0

local function remember(line, product, quantity)
    if #line > MAX_LINE_BYTES then
        return
    end
    if line_count == MAX_LINES then
        asked, line_count = {}, 0
    end
    asked[line] = { product = product, quantity = quantity }
    line_count = line_count + 1
end

-- nil, nil, product, quantity and signed path; or the refusal's code and its
-- fields.
local function read(line)
    local fault = shape.address_fault(line) or shape.headers_fault()
    if fault then
        return "BAD_REQUEST", { message = fault }
    end
    local code, fields, product, quantity =
        attempts.read(get_method(), var.args)
    local path = var.seckill_path
    path = path ~= "" and path or nil
    if not code and not path then
        remember(line, product, quantity)
    end
    return code, fields, product, quantity, path
end

-- As read(), for a line that is remembered: only its headers are new.
local function read_headers(one)
    local fault = shape.headers_fault()
    if fault then
        return "BAD_REQUEST", { message = fault }
    end
    return nil, nil, one.product, one.quantity
end

-- Rewrite phase: the status an attempt is refused with, "444" to cut it off,
-- or "" when nothing speaks against it. It cannot wait for anything.
function _M.decide()
    local line = var.request
    local one = asked[line]
    local code, fields, product, quantity, path, user
    if one then
        code, fields, product, quantity = read_headers(one)
    elseif shape.is_cut_off() then
        return "444"
    else
        code, fields, product, quantity, path = read(line)
    end
    if not code then
        code, fields, user = attempts.decide(product, quantity,
            var.http_authorization, path, now())
    end
    if code then
        if product then
            tops.refused(product, code)
        end
        return answer.prepare(code, fields)
    end
    var.seckill_user = user
    var.seckill_product = product
    var.seckill_quantity = quantity
    return ""
end

-- Access phase of an attempt that was not refused: it takes what it needs to
-- pass, or is refused after all. What it holds is noted in a variable because
-- nginx's own errors wipe ngx.ctx.
function _M.admit()
    local product = var.seckill_product
    if var.seckill_attempt_key == "!" then
        tops.refused(product, "BAD_REQUEST")
        return answer.refuse_attempt("BAD_REQUEST", BAD_KEY)
    end
    local held, code, fields = attempts.admit(var.seckill_user, product,
        now())
    if not held then
        tops.refused(product, code)
        return answer.refuse_attempt(code, fields)
    end
    tops.passed(product)
    var.seckill_held = held
end

-- Of an attempt that no code came for. nginx counts what it sent only at its
-- end, and an answer's header comes before that; both are lists, for an
-- instance that could not be reached is in them too.
local function may_be_sent()
    return find(var.upstream_bytes_sent or "", "[1-9]") ~= nil
        or find(var.upstream_header_time or "", "%d") ~= nil
end

-- In answer() and in the log phase: an attempt that was sent on gives back what
-- it held. It does so before the client can read the answer and try again; the
-- log phase is for an attempt that ends without one. An answer that never
-- came is unknown, unless nothing of the attempt was sent; its token goes back,
-- since the shard decides.
function _M.release()
    local held = var.seckill_held
    if not held or held == "" then
        return
    end
    var.seckill_held = ""
    local code = var.upstream_http_x_seckill_code
    local product, epochs = admission.release(held, code,
        code or may_be_sent())
    if var.upstream_http_x_seckill_sold_out == "1" then
        sold_out.mark(product, epochs)
    end
end

-- Header filter of an attempt that was sent on.
function _M.answer()
    leaving.tell()
    _M.release()
end

return _M
