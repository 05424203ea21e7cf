-- Refusals as contracts/refusals.json has them, the same table Java uses.

local _M = {}

-- Rows by code. A broken table stops the start.
function _M.table_of(rows)
    local by_code = {}
    for _, row in ipairs(rows) do
        assert(type(row.code) == "string" and type(row.status) == "number"
            and type(row.retryAfterMs) == "number"
            and type(row.message) == "string",
            "refusals.json: " .. tostring(row.code) .. " is not complete")
        by_code[row.code] = row
    end
    return by_code
end

-- Up to half of the row's own wait on top, so that a refused crowd does not
-- come back at one instant. random is in [0, 1).
local function jitter_ms(row, random)
    return math.floor(row.retryAfterMs / 2 * random)
end

-- The body. fields.wait_ms replaces the row's wait (time until a sale
-- starts), fields.message its message.
function _M.body(row, random, fields)
    local wait_ms = fields and fields.wait_ms or row.retryAfterMs
    return {
        code = row.code,
        message = fields and fields.message or row.message,
        retryAfterMs = row.retryAfterMs > 0
            and wait_ms + jitter_ms(row, random) or 0,
    }
end

-- Whole seconds of the Retry-After header, or nil: a retry does not help.
function _M.retry_after(body)
    if body.retryAfterMs == 0 then
        return nil
    end
    return math.max(1, math.ceil(body.retryAfterMs / 1000))
end

return _M
