-- One answer of hop 2 or 3, chosen by what the user's name begins with. Any
-- other user's attempt is accepted; any other call gets its request echoed.

local cjson = require "cjson"

ngx.shared.seen:incr("count", 1, 0)
ngx.update_time()
ngx.shared.seen:rpush("times", ngx.now())
if ngx.var.connection_requests == "1" then
    ngx.shared.seen:incr("connections", 1, 0)
end
local user = ngx.var.http_x_seckill_user or ""
local kind = user:match("^%a+") or ""

local function attempt_answer(status, code)
    ngx.status = status
    ngx.header["X-Seckill-Code"] = code
    ngx.print(cjson.encode { code = code })
end

if kind == "hang" or kind == "half" and ngx.var.is_second == "1" then
    ngx.sleep(3.6)
elseif kind == "slow" or kind == "slowlast" then
    ngx.sleep(0.5)
elseif kind == "slower" then
    ngx.sleep(1.5)
end

if kind == "bought" then
    attempt_answer(409, "ALREADY_BOUGHT")
elseif kind == "repeated" then
    ngx.header["X-Seckill-Code"] = "ALREADY_BOUGHT"
    ngx.status = 202
    ngx.print(cjson.encode { code = "ACCEPTED" })
elseif kind == "beaten" then
    attempt_answer(409, "SOLD_OUT")
elseif kind == "last" or kind == "slowlast" then
    ngx.header["X-Seckill-Sold-Out"] = "1"
    attempt_answer(409, "SOLD_OUT")
elseif kind == "busy" then
    attempt_answer(503, "BUSY")
elseif kind == "unknown" then
    attempt_answer(503)
elseif kind == "broken" then
    return ngx.exit(ngx.HTTP_CLOSE)
elseif kind == "echo" or ngx.var.uri ~= "/seckill/flash/sale/deduct" then
    ngx.req.read_body()
    ngx.print(cjson.encode {
        method = ngx.req.get_method(),
        uri = ngx.var.request_uri,
        headers = ngx.req.get_headers(),
        body = ngx.req.get_body_data(),
    })
else
    attempt_answer(202, "ACCEPTED")
end
