-- Answers that nginx gives itself: JSON, refusals counted by their code.

local counters = require "seckill.counters"
local node = require "seckill.config.node"
local refusals = require "seckill.request.refusals"

local count, refused = counters.count, counters.refused
local random = math.random
local var = ngx.var

local _M = {}

-- content_type: JSON's own when it is nil.
function _M.json(text, content_type)
    ngx.req.discard_body()
    ngx.header.content_type = content_type or "application/json"
    ngx.header.content_length = #text
    ngx.print(text)
    return ngx.exit(ngx.HTTP_OK)
end

-- Ends the request with the table's answer. fields: see refusals.answer, and
-- allow: the methods of a 405; rate_limit, rate_policy: as limit/fields.lua
-- makes them. counted: keys by code; none counts nothing.
local function refuse(code, fields, counted)
    local row = node.refusals[code]
    local body, retry_after = refusals.answer(row, math.random(), fields)
    if counted then
        counters.count(counted[code])
    end
    ngx.status = row.status
    ngx.header["Retry-After"] = retry_after
    ngx.header.Allow = fields and fields.allow
    ngx.header.RateLimit = fields and fields.rate_limit
    ngx.header["RateLimit-Policy"] = fields and fields.rate_policy
    return _M.json(body, "application/problem+json")
end

-- The status an attempt is refused with, as text; body and wait are in
-- variables, the other headers in nginx.conf. nginx's own return then says
-- it: that is half the price of an answer made in a Lua phase. fields: as of
-- refuse(), and counter: what counts it instead of its code.
function _M.prepare(code, fields)
    local row = node.refusals[code]
    local body, retry_after = refusals.answer(row, random(), fields)
    count(fields and fields.counter or refused[code])
    var.seckill_body = body
    if retry_after then
        var.seckill_retry_after = retry_after
    end
    if fields and fields.rate_limit then
        var.seckill_rate_limit = fields.rate_limit
        var.seckill_rate_policy = fields.rate_policy
    end
    return row.status_text
end

-- An attempt that does not pass what only the access phase can ask.
function _M.refuse_attempt(code, fields)
    return refuse(code, fields, counters.refused)
end

-- Any other request, also one that nginx refused before it had a route.
function _M.refuse(code, fields)
    return refuse(code, fields, counters.call_refused)
end

-- An attempt that has passed and could not be sent on or was not answered:
-- counted when it gives back what it holds.
function _M.fail(code)
    return refuse(code)
end

return _M
