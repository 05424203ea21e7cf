-- Answers that nginx gives itself: JSON, counted by their code.

local cjson = require "cjson"
local counters = require "seckill.counters"
local node = require "seckill.config.node"
local refusals = require "seckill.request.refusals"

local _M = {}

function _M.json(text)
    ngx.req.discard_body()
    ngx.header.content_type = "application/json"
    ngx.header.content_length = #text
    ngx.print(text)
    return ngx.exit(ngx.HTTP_OK)
end

-- Ends the request with the table's answer. fields: see refusals.body, and
-- allow: the methods of a 405. counted: keys by code; none counts nothing.
local function refuse(code, fields, counted)
    local row = node.refusals[code]
    local body = refusals.body(row, math.random(), fields)
    if counted then
        counters.count(counted[code])
    end
    ngx.status = row.status
    ngx.header["Retry-After"] = refusals.retry_after(body)
    ngx.header.Allow = fields and fields.allow
    return _M.json(cjson.encode(body))
end

-- An attempt that does not pass.
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
