-- Answers that nginx gives itself: JSON, counted by their code.

local cjson = require "cjson"
local node = require "seckill.config.node"
local refusals = require "seckill.request.refusals"

local counters = ngx.shared.seckill_counters

local _M = {}

function _M.json(text)
    ngx.req.discard_body()
    ngx.header.content_type = "application/json"
    ngx.header.content_length = #text
    ngx.print(text)
    return ngx.exit(ngx.HTTP_OK)
end

-- Ends the request with the table's answer. fields: see refusals.body, and
-- allow: the methods of a 405.
function _M.refuse(code, fields)
    local row = node.refusals[code]
    local body = refusals.body(row, math.random(), fields)
    counters:incr("n:" .. code, 1, 0)
    ngx.status = row.status
    ngx.header["Retry-After"] = refusals.retry_after(body)
    ngx.header.Allow = fields and fields.allow
    return _M.json(cjson.encode(body))
end

return _M
