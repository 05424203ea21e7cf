-- Content phase of nginx's own errors, in the words of the table.

local answer = require "seckill.request.answer"
local calls = require "seckill.calls"

local CODES = {
    [403] = "NOT_FOUND",  -- a file that may not be read is not there
    [404] = "NOT_FOUND",
    [405] = "METHOD_NOT_ALLOWED",
    [413] = "PAYLOAD_TOO_LARGE",
    [500] = "BUSY",
    [502] = "BUSY",
    [503] = "BUSY",
    [504] = "BUSY",
    [507] = "BUSY",
}

calls.leave()
local code = CODES[ngx.status] or "BAD_REQUEST"
-- Older nginx calls a second Authorization malformed before any phase runs.
if ngx.status == 400
        and type(ngx.req.get_headers().authorization) == "table" then
    code = "UNAUTHENTICATED"
end
if (ngx.var.seckill_held or "") ~= "" then
    return answer.fail(code)
end
return answer.refuse(code, code == "METHOD_NOT_ALLOWED"
    and { allow = ngx.var.seckill_route == "page" and "GET, HEAD" } or nil)
