-- The limits of contracts/limits.json and what an operator may write there.

local _M = {
    -- Those of no product that the edge reads, in this order.
    OF_NODE = { "edge.global_qps", "edge.address_qps",
        "order.backlog_max_age_ms" },
    -- By limiter, what says whether it only counts; of OF_NODE, too.
    SHADOW = { address = "edge.shadow_address", calls = "edge.shadow_calls",
        in_flight = "edge.shadow_in_flight", node = "edge.shadow_node",
        product = "edge.shadow_product", quota = "edge.shadow_quota" },
}
for _, name in pairs(_M.SHADOW) do
    _M.OF_NODE[#_M.OF_NODE + 1] = name
end

-- Rows by key. A broken table stops the start.
function _M.table_of(rows)
    local by_key = {}
    for _, row in ipairs(rows) do
        assert(type(row.key) == "string" and type(row.default) == "number"
            and row.min <= row.default and row.default <= row.max,
            "limits.json: " .. tostring(row.key) .. " has no sane numbers")
        by_key[row.key] = row
    end
    return by_key
end

-- The number written, the default where nothing is, or nil: only a plain
-- whole number within bounds counts ("nan", "0x10", " 12" never do).
function _M.read(row, written)
    if written == nil then
        return row.default
    end
    if type(written) ~= "string" or #written > 9
            or not (written == "0" or written:find("^[1-9]%d*$")) then
        return nil
    end
    local value = tonumber(written)
    return value >= row.min and value <= row.max and value or nil
end

return _M
