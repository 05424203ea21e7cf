-- How much the platform takes on at most: the rows of bounds.json, by name.

local NAMES = { "sales", "price_cents", "per_user_limit_units", "name_bytes",
    "quantity_units", "page_orders" }

-- products: that an edge knows at once. Ten times the sales that the platform
-- takes on, which the edge alone can do (docs/RATIONALE.md); what it costs is
-- read in pages (many_products.lua), and nginx.conf.template sizes its dicts by
-- it.
local _M = { products = 10000 }

-- Fails, naming the row, when one that the edge reads is no number.
function _M.init(rows)
    for _, name in ipairs(NAMES) do
        assert(type(rows[name]) == "number",
            "bounds.json: " .. name .. " is no number")
        _M[name] = rows[name]
    end
end

return _M
