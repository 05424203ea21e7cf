-- The query string, read once and strictly. What another parser could read
-- in another way is refused; what is read goes on in headers of our own.

local bounds = require "seckill.config.bounds"

local MAX_ARGUMENTS = 100
local KNOWN = { productid = "productId", quantity = "quantity" }
local KNOWN_OF_ORDERS = { limit = "limit", before = "before" }

local _M = {}

function _M.is_product(text)
    return #text <= 18 and text:find("^[1-9]%d*$") ~= nil
end

local function decode(text)
    if text:gsub("%%%x%x", ""):find("%", 1, true) then
        return nil
    end
    return (text:gsub("+", " "):gsub("%%(%x%x)", function(hex)
        return string.char(tonumber(hex, 16))
    end))
end

-- Puts one argument into found, or returns what is wrong with it. A name
-- that only some parsers take for a known one is ambiguous.
local function read_argument(found, argument, known_names)
    local raw, value = argument:match("^([^=]*)=?(.*)$")
    local name, text = decode(raw), decode(value)
    if not name or not text then
        return "a broken %-escape in the query"
    end
    local known = known_names[name:lower()]
    if not known then
        return nil
    end
    if raw ~= known then
        return known .. ": must be spelled like this"
    end
    if found[known] then
        return known .. ": given more than once"
    end
    found[known] = text
end

-- args: the raw query string or nil. A table of the known parameters, or
-- nil and the reason. Unknown parameters are ignored.
-- known_names: by their lower case; those of an attempt when absent.
function _M.read(args, known_names)
    local found, count = {}, 0
    for argument in (args or ""):gmatch("[^&]+") do
        count = count + 1
        if count > MAX_ARGUMENTS then
            return nil, "more than " .. MAX_ARGUMENTS .. " arguments"
        end
        local wrong = read_argument(found, argument,
            known_names or KNOWN)
        if wrong then
            return nil, wrong
        end
    end
    return found
end

-- productId, or nil and the reason.
function _M.product(found)
    local product = found.productId
    if not product or not _M.is_product(product) then
        return nil, "productId: must be a number of 1 to 18 digits"
    end
    return product
end

-- The whole number from 1 to most that text is, or nil and the reason.
local function number_of(text, name, most)
    local number = text:find("^[1-9]%d*$") and tonumber(text)
    if not number or number > most then
        return nil, name .. ": must be a whole number from 1 to " .. most
    end
    return number
end

-- quantity (1 when absent), or nil and the reason.
function _M.quantity(found)
    return number_of(found.quantity or "1", "quantity", bounds.quantity_units)
end

-- productId and quantity of an attempt; without quantity the reason is third.
function _M.attempt(args)
    local found, why = _M.read(args)
    if not found then
        return nil, nil, why
    end
    local product, quantity
    product, why = _M.product(found)
    if product then
        quantity, why = _M.quantity(found)
    end
    return product, quantity, why
end

-- The page of a user's orders that is asked for, as the query string for the
-- service ("" without parameters), or nil and the reason.
function _M.orders_page(args)
    local found, why = _M.read(args, KNOWN_OF_ORDERS)
    if not found then
        return nil, why
    end
    local parts = {}
    if found.limit then
        local limit
        limit, why = number_of(found.limit, "limit", bounds.page_orders)
        if not limit then
            return nil, why
        end
        parts[1] = "limit=" .. limit
    end
    if found.before then
        local ms, sn = found.before:match("^(%d+)-(%d+)$")
        if not ms or #ms > 14 or #sn ~= 24 then
            return nil, "before: must be the next of an earlier page"
        end
        parts[#parts + 1] = "before=" .. found.before
    end
    return parts[1] and "?" .. table.concat(parts, "&") or ""
end

return _M
