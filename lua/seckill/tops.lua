-- Which products the node's attempts are for: how many of each were refused
-- and passed, for /metrics, which shows those that have most and sums up the
-- rest. An attempt adds to a table of its worker and nothing else; the worker's
-- timer takes the table to the dict once a second.
--
-- refused:PRODUCT, passed:PRODUCT   unit: attempts since the start; gone
--   KEPT_SECONDS after the last. Of known sales alone, for clients choose what
--   they ask for. No room: they are among the rest.

local purse = require "seckill.limit.purse"
local view = require "seckill.config.view"

local max, min = math.max, math.min
local now = ngx.now

local dict = ngx.shared.seckill_tops
local leases = ngx.shared.seckill_leases

local SHOWN = 10
local KEPT_SECONDS = 86400
local FLUSH_SECONDS = 1
local REST = "other"

local refused, passed, flushed_at = {}, {}, 0

local _M = {}

-- One attempt for a product ended here with this code. One for no sale is
-- among the rest.
function _M.refused(product, code)
    if code ~= "NO_SUCH_SALE" and view.sale(product) then
        refused[product] = (refused[product] or 0) + 1
    end
end

-- One for a known sale was sent on.
function _M.passed(product)
    passed[product] = (passed[product] or 0) + 1
end

local function add(prefix, counts)
    for product, count in pairs(counts) do
        local key = prefix .. product
        if dict:incr(key, count) then
            dict:expire(key, KEPT_SECONDS)
        elseif not dict:safe_add(key, count, KEPT_SECONDS) then
            dict:incr(key, count)  -- another worker was first, or no room
        end
    end
end

-- In each worker's timer, and before the worker leaves.
function _M.flush(at_once)
    local at = now()
    if not at_once and at - flushed_at < FLUSH_SECONDS
            and at >= flushed_at then
        return
    end
    local were_refused, have_passed = refused, passed
    refused, passed, flushed_at = {}, {}, at
    add("refused:", were_refused)
    add("passed:", have_passed)
end

-- The products with most attempts, first those with more. To be asked before
-- the counters of all are read: those then count no less. It may yield.
function _M.list()
    local list = {}
    view.each_sale(function(sale)
        local row = { product = sale.product,
            refused = dict:get("refused:" .. sale.product) or 0,
            passed = dict:get("passed:" .. sale.product) or 0 }
        row.count = row.refused + row.passed
        if row.count > 0 then
            list[#list + 1] = row
        end
    end)
    table.sort(list, function(a, b)
        return a.count > b.count or a.count == b.count
            and a.product < b.product
    end)
    return list
end

-- Rows for a gauge by product: those refused, those passed, leased tokens at
-- hand and milliseconds since the last lease. refused_sum and passed_sum:
-- of all products, which the rows add up to, for the rest is what they lack.
function _M.rows(list, refused_sum, passed_sum)
    local rows = { refused = {}, passed = {}, tokens = {},
        ages = {} }
    for i = 1, min(#list, SHOWN) do
        local one = list[i]
        local product = one.product
        rows.refused[i] = { product, one.refused }
        rows.passed[i] = { product, one.passed }
        refused_sum = refused_sum - one.refused
        passed_sum = passed_sum - one.passed
        local at = purse.last(leases, product)
        if at then
            rows.tokens[#rows.tokens + 1] = { product,
                purse.left(leases, product) }
            rows.ages[#rows.ages + 1] = { product,
                max(0, (now() - at) * 1000) }
        end
    end
    rows.refused[#rows.refused + 1] = { REST, max(0, refused_sum) }
    rows.passed[#rows.passed + 1] = { REST, max(0, passed_sum) }
    return rows
end

return _M
