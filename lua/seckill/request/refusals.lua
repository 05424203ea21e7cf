-- Refusals as contracts/refusals.json has them, the same table Java uses, as
-- problem details (RFC 9457).

local cjson = require "cjson"

local ceil, floor, max = math.ceil, math.floor, math.max

local _M = {}

-- Whole seconds of the Retry-After header, or nil: a retry does not help.
local function retry_after(wait_ms)
    if wait_ms > 0 then
        return tostring(max(1, ceil(wait_ms / 1000)))
    end
end

-- The body up to its wait. message: the row's own when it is nil.
local function head_of(row, message)
    local text = cjson.encode(message or row.message)
    return ('{"type":"urn:seckill:problem:%s","title":%s,"status":%d,'
        .. '"detail":%s,"code":"%s","message":%s,"retryAfterMs":')
        :format(row.code, cjson.encode(row.message), row.status, text,
            row.code, text)
end

-- The body of a refusal that no retry helps, made once for many requests.
function _M.body(row, message)
    return head_of(row, message) .. "0}"
end

-- Adds what is the same for every request: status, head, and the bodies with
-- their headers, one for each millisecond of jitter.
local function prepare(row)
    row.status_text = tostring(row.status)
    row.head = head_of(row)
    row.bodies, row.retry_after = {}, {}
    for jitter_ms = 0, row.retryAfterMs / 2 do
        local wait_ms = row.retryAfterMs + jitter_ms
        row.bodies[jitter_ms] = row.head .. wait_ms .. "}"
        row.retry_after[jitter_ms] = retry_after(wait_ms)
    end
end

-- Rows by code. A broken table stops the start.
function _M.table_of(rows)
    local by_code = {}
    for _, row in ipairs(rows) do
        assert(type(row.code) == "string" and type(row.status) == "number"
            and type(row.retryAfterMs) == "number"
            and type(row.message) == "string",
            "refusals.json: " .. tostring(row.code) .. " is not complete")
        prepare(row)
        by_code[row.code] = row
    end
    return by_code
end

-- The body and the Retry-After header, which is nil where a retry does not
-- help. Up to half of the row's own wait comes on top, so that a refused crowd
-- does not come back at one instant; random is in [0, 1). fields.wait_ms
-- replaces the row's wait (time until a sale starts), fields.message its
-- message, fields.body all of it; fields.more comes on top, as text.
function _M.answer(row, random, fields)
    if fields and fields.body then
        return fields.body
    end
    local jitter_ms = floor(row.retryAfterMs / 2 * random)
    if not fields or not (fields.wait_ms or fields.message
            or fields.more) then
        return row.bodies[jitter_ms], row.retry_after[jitter_ms]
    end
    local wait_ms = 0
    if row.retryAfterMs > 0 then
        wait_ms = (fields.wait_ms or row.retryAfterMs) + jitter_ms
    end
    local head = fields.message and head_of(row, fields.message)
        or row.head
    return head .. wait_ms .. (fields.more or "") .. "}", retry_after(wait_ms)
end

return _M
