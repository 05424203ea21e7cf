-- One sale as its hash in the control Redis tells it: checked before it is
-- believed, and the rules that depend on nothing but the sale and the clock.

local bounds = require "seckill.config.bounds"
local params = require "seckill.request.params"
local placements = require "seckill.sale.placements"

local _M = {
    -- What the edge reads of seckill:sale:PRODUCT, in this order.
    FIELDS = { "product_id", "name", "price_cents", "start_at_ms",
        "end_at_ms", "per_user_limit", "path", "placements", "sold_out",
        "synthetic" },
    -- Read behind them, and not needed: another number when units came.
    VERSION = "stock_version",
}

-- 14 digits: exact in a Lua number and in cjson's output.
local function integer(text)
    if #text <= 14 and (text == "0" or text:find("^[1-9]%d*$")) then
        return tonumber(text)
    end
end

-- Well-formed sequences (RFC 3629, section 4): nothing overlong, no surrogate,
-- nothing above U+10FFFF. "." is any of \128 to \191.
local SEQUENCES = { "[\194-\223].", "\224[\160-\191].",
    "[\225-\236\238\239]..", "\237[\128-\159].", "\240[\144-\191]..",
    "[\241-\243]...", "\244[\128-\143].." }
for i, sequence in ipairs(SEQUENCES) do
    SEQUENCES[i] = sequence:gsub("%.", "[\128-\191]")
end

-- Each sequence is taken out; what is left is not UTF-8.
local function is_utf8(text)
    for _, sequence in ipairs(SEQUENCES) do
        text = text:gsub(sequence, " ")
    end
    return not text:find("[\128-\255]")
end

-- No control characters: U+0000 to 001F, 007F, and in two bytes 0080 to 009F.
local function is_name(text)
    return #text >= 1 and #text <= bounds.name_bytes
        and not text:find("%c") and not text:find("\194[\128-\159]")
        and is_utf8(text)
end

-- most: a row of the bounds, which are there once the node is.
local function between(least, most)
    return function(text)
        local number = integer(text)
        return number and number >= least and number <= bounds[most]
    end
end

local function one_of(a, b)
    return function(text) return text == a or text == b end
end

local CHECKS = {
    product_id = params.is_product,
    name = is_name,
    price_cents = between(0, "price_cents"),
    start_at_ms = integer,
    end_at_ms = integer,
    per_user_limit = between(1, "per_user_limit_units"),
    path = one_of("on", "off"),
    placements = placements.epochs,
    sold_out = one_of("0", "1"),
    synthetic = one_of("0", "1"),
}

-- What is written of the stock's version, or "0". It is compared and no more.
function _M.version(written)
    if type(written) == "string" and #written <= 15
            and written:find("^%d+$") then
        return written
    end
    return "0"
end

-- The sale, or nil and the name of the field that is wrong. values: texts
-- in the order of FIELDS, and perhaps the version. epochs: which lives of the
-- shards, and which version of the stock in them, a word about it is of.
function _M.parse(values)
    local text = {}
    for i, field in ipairs(_M.FIELDS) do
        local value = values[i]
        if type(value) ~= "string" or not CHECKS[field](value) then
            return nil, field
        end
        text[field] = value
    end
    local starts, ends = integer(text.start_at_ms), integer(text.end_at_ms)
    if starts >= ends then
        return nil, "end_at_ms"
    end
    return {
        product = text.product_id,
        name = text.name,
        price_cents = integer(text.price_cents),
        start_at_ms = starts,
        end_at_ms = ends,
        per_user_limit = integer(text.per_user_limit),
        path = text.path == "on",
        epochs = placements.epochs(text.placements) .. "@"
            .. _M.version(values[#_M.FIELDS + 1]),
        sold_out = text.sold_out == "1",
        synthetic = text.synthetic == "1",
    }
end

-- Values as one text for the shared dict, and back. No checked value holds a
-- line feed.
function _M.pack(values)
    return table.concat(values, "\n") .. "\n"
end

function _M.unpack(text)
    local values = {}
    for value in text:gmatch("(.-)\n") do
        values[#values + 1] = value
    end
    return values
end

-- nil while the sale is open; else a refusal's code and its fields.
function _M.closed(sale, now_ms)
    if now_ms < sale.start_at_ms then
        local wait_ms = math.ceil(sale.start_at_ms - now_ms)
        return "NOT_STARTED", { wait_ms = wait_ms }
    end
    if now_ms >= sale.end_at_ms then
        return "ENDED"
    end
end

-- ISO-8601 in UTC with milliseconds.
function _M.iso(ms)
    local seconds = math.floor(ms / 1000)
    return os.date("!%Y-%m-%dT%H:%M:%S", seconds)
        .. (".%03dZ"):format(math.floor(ms - seconds * 1000))
end

-- What anyone may know of a sale; never how many units are left.
function _M.facts(sale)
    return {
        productId = sale.product,
        name = sale.name,
        priceCents = sale.price_cents,
        startAt = _M.iso(sale.start_at_ms),
        endAt = _M.iso(sale.end_at_ms),
        soldOut = sale.sold_out,
        perUserLimit = sale.per_user_limit,
        path = sale.path and "on" or "off",
    }
end

return _M
