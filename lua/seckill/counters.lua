-- What this node has counted since its start, over all workers: the rows of
-- contracts/counters.json whose hop is the edge. One that is not in the table
-- cannot be printed, and a row that nothing counts stops the start.
--
-- KEY   unit: events; one entry per counter and label, for good. The keys are
--   made here, so their number is bounded: no client chooses one.
--
-- Each request ends in one entry, and to count it is one incr. So attempts
-- and calls are not counted apart but summed of their ends; requests are
-- counted by nginx itself, and that equation holds all others to account.

local forced = require "seckill.forced"
local node = require "seckill.config.node"

local dict = ngx.shared.seckill_counters

local HOP = "edge"
local ROUTES = { "path", "result", "orders", "sales", "page", "internal" }
local LIMITERS = { "address", "asks", "calls", "in_flight", "node", "product",
    "quota" }

local _M = {}

local function codes(...)
    local list = { ... }
    for code in pairs(node.refusals) do
        list[#list + 1] = code
    end
    table.sort(list)
    return list
end

local REFUSALS = codes()
local ANSWERS = codes("ACCEPTED", "NO_ANSWER", "OTHER")

-- prefix: of the keys, one per label. The keys by label.
local function family(prefix, labels)
    local keys = {}
    for _, label in ipairs(labels) do
        keys[label] = prefix .. label
    end
    return keys
end

-- Keys to count, by label. An attempt or another call was refused here; an
-- attempt with a token of the quota or one without was answered by the service
-- (NO_ANSWER: or never was); a call was served; a limiter could not tell, or
-- in shadow mode would have refused.
_M.refused = family("refused:", REFUSALS)
_M.call_refused = family("call_refused:", REFUSALS)
_M.first_answered = family("first:", ANSWERS)
_M.again_answered = family("again:", ANSWERS)
_M.served = family("served:", ROUTES)
_M.limiter_error = family("limiter:", LIMITERS)
_M.shadowed = family("shadowed:", LIMITERS)

-- The keys that make up each counter: families where it has a label, else
-- single keys. A row that is not here is the sum of its equation; requests
-- are told by nginx.
local FAMILIES = {
    seckill_refused_total = { REFUSALS, _M.refused },
    seckill_answered_total = { ANSWERS, _M.first_answered,
        _M.again_answered },
    seckill_calls_refused_total = { REFUSALS, _M.call_refused },
    seckill_calls_served_total = { ROUTES, _M.served },
    seckill_limiter_errors_total = { LIMITERS, _M.limiter_error },
    seckill_shadowed_total = { LIMITERS, _M.shadowed },
}
local SINGLES = {
    seckill_held_back_total = { "held_back" },
    seckill_passed_total = { "first", "again" },
    seckill_calls_broken_total = { "broken" },
    seckill_tokens_spent_total = { "first" },
    seckill_tokens_kept_total = { _M.first_answered.ACCEPTED },
    seckill_tokens_given_back_total = { "given_back" },
    seckill_leases_total = { "leases" },
    seckill_leases_filled_total = { "leases_filled" },
    seckill_leases_empty_total = { "leases_empty" },
    seckill_leases_failed_total = { "leases_failed" },
    seckill_control_redis_calls_total = { "redis_calls" },
    seckill_control_redis_answered_total = { "redis_answered" },
    seckill_control_redis_failed_total = { "redis_failed" },
    seckill_unlimited_total = { "unlimited" },
    seckill_undecided_total = { "undecided" },
}
local REQUESTS = "seckill_requests_total"

-- The edge's rows of the table, in order.
local function rows_of(all)
    local rows, by_name = {}, {}
    for _, row in ipairs(all) do
        if row.hop == HOP then
            rows[#rows + 1] = row
            by_name[row.name] = row
        end
    end
    for _, known in ipairs { FAMILIES, SINGLES } do
        for name in pairs(known) do
            assert(by_name[name], "counters.json lacks " .. name)
        end
    end
    for _, row in ipairs(rows) do
        assert(row.name == REQUESTS or SINGLES[row.name]
            or FAMILIES[row.name] and #row.labels == 1 or row.equals,
            "counters.json: nothing counts " .. row.name)
    end
    return rows
end

local ROWS = rows_of(node.counters)

function _M.count(key)
    local _, _, is_forced = dict:incr(key, 1, 0)
    if is_forced then
        forced.count "seckill_counters"
    end
end

function _M.read(key)
    return dict:get(key) or 0
end

-- One line per label that has counted, and the sum of all.
local function print_family(lines, row)
    local known, sum = FAMILIES[row.name], 0
    for _, label in ipairs(known[1]) do
        local count = 0
        for i = 2, #known do
            count = count + _M.read(known[i][label])
        end
        if count > 0 then
            lines[#lines + 1] = ('%s{%s="%s",hop="%s"} %d')
                :format(row.name, row.labels[1], label, HOP, count)
        end
        sum = sum + count
    end
    return sum
end

local function sum_of(keys)
    local sum = 0
    for _, key in ipairs(keys) do
        sum = sum + _M.read(key)
    end
    return sum
end

-- The sum of the equation's terms, which print below the row itself.
local function sum_of_terms(row, sums)
    local sum = 0
    for name in row.equals:gmatch("[%w_]+") do
        sum = sum + sums[name]
    end
    return sum
end

local function add_head(lines, name, help, kind)
    lines[#lines + 1] = "# HELP " .. name .. " " .. help
    lines[#lines + 1] = "# TYPE " .. name .. " " .. kind
end

-- Adds the text of every counter to lines; the sums by name. requests: those
-- nginx has counted.
function _M.print(lines, requests)
    local sums, summed = { [REQUESTS] = requests }, {}
    for i = #ROWS, 1, -1 do  -- the terms of a sum come after it
        local row, text = ROWS[i], {}
        add_head(text, row.name, row.help, "counter")
        if FAMILIES[row.name] then
            sums[row.name] = print_family(text, row)
        else
            if SINGLES[row.name] then
                sums[row.name] = sum_of(SINGLES[row.name])
            elseif row.name ~= REQUESTS then
                sums[row.name] = sum_of_terms(row, sums)
            end
            text[#text + 1] = ('%s{hop="%s"} %d')
                :format(row.name, HOP, sums[row.name])
        end
        summed[i] = text
    end
    for i = 1, #ROWS do
        lines[#lines + 1] = table.concat(summed[i], "\n")
    end
    return sums
end

function _M.print_gauge(lines, name, help, label, values)
    add_head(lines, name, help, "gauge")
    for _, value in ipairs(values) do
        local more = label and label .. '="' .. value[1] .. '",' or ""
        lines[#lines + 1] = ('%s{%shop="%s"} %d')
            :format(name, more, HOP, value[2])
    end
end

return _M
