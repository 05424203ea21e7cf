-- Is this a refusal as clients may see it (contracts/README.md, Refusals)?

local cjson = require "cjson"

local _M = {}

local function rows()
    local file = assert(io.open("contracts/refusals.json"))
    local by_code = {}
    for _, row in ipairs(cjson.decode(file:read("*a"))) do
        by_code[row.code] = row
    end
    file:close()
    return by_code
end
_M.rows = rows()

local function is_count(value)
    return type(value) == "number" and value >= 0
        and value == math.floor(value)
end

local function wrong_wait(row, body)
    local wait = body.retryAfterMs
    if not is_count(wait) then
        return "retryAfterMs is no whole number"
    elseif (wait > 0) ~= (row.retryAfterMs > 0) then
        return "retryAfterMs says the wrong thing about a retry"
    elseif body.code ~= "NOT_STARTED" and (wait < row.retryAfterMs
            or wait > row.retryAfterMs * 1.5) then
        return "retryAfterMs is not 100 to 150 % of the table's"
    end
end

-- As a problem detail (RFC 9457).
local function wrong_problem(row, body)
    if body.type ~= "urn:seckill:problem:" .. row.code then
        return "type is not the code's"
    elseif body.title ~= row.message then
        return "title is not the table's message"
    elseif body.status ~= row.status then
        return "status in the body is not the code's"
    elseif body.detail ~= body.message then
        return "detail is not the message"
    end
end

-- Why it is none, or nil. headers by lower-case name, body decoded.
function _M.objection(status, headers, body)
    local row = type(body) == "table" and _M.rows[body.code]
    if not row then
        return "no code of the table"
    elseif status ~= row.status then
        return "status is not the code's"
    elseif type(body.message) ~= "string" or body.message == "" then
        return "no message"
    elseif headers["content-type"] ~= "application/problem+json" then
        return "Content-Type is not application/problem+json"
    elseif headers["x-seckill-code"] or headers["x-seckill-sold-out"] then
        return "an inner header leaks"
    end
    local expected = nil
    local wrong = wrong_problem(row, body) or wrong_wait(row, body)
    if not wrong and body.retryAfterMs > 0 then
        expected = ("%d"):format(math.max(1,
            math.ceil(body.retryAfterMs / 1000)))
    end
    if not wrong and headers["retry-after"] ~= expected then
        wrong = "Retry-After is not " .. tostring(expected)
    end
    return wrong
end

return _M
