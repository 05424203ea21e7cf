-- Which of many products the polling worker reads in a turn: those that a hint
-- named, and then some in turn, so that nothing depends on a hint.

local hints = require "seckill.config.hints"
local listed = require "seckill.config.listed"

local min, max = math.min, math.max

-- Products in one of 40 turns a second. One costs 10 us, a turn with CATCH_UP
-- of them 5 ms. 10,000 products take less than a second at CATCH_UP, as do
-- 10,000 hints; else all are read within some 1.5 or 10 s.
local CATCH_UP, UNHINTED, HINTED = 500, 200, 25

local _M = {}

-- due: those that a hint named. unread: how many of the others are to be read
-- at CATCH_UP. at: which was read last.
local due, unread, at = {}, 0, 0

function _M.start()
    due, unread, at = {}, #listed.products, 0
end

-- Any may have changed: all are read once at CATCH_UP.
function _M.catch_up()
    unread = #listed.products
end

-- This one has changed.
function _M.hear(product)
    due[product] = true
end

local function hinted()
    local list, is_listed = {}, {}
    for product in pairs(due) do
        if #list == CATCH_UP then
            break
        end
        due[product] = nil
        if listed.is_known[product] then
            list[#list + 1] = product
            is_listed[product] = true
        end
    end
    return list, is_listed
end

-- A new list.
function _M.next()
    local list, is_listed = hinted()
    local products = listed.products
    local count = unread > 0 and CATCH_UP or hints.trouble() and UNHINTED
        or HINTED
    for _ = 1, min(count, #products) do
        at = at % #products + 1
        if not is_listed[products[at]] then
            list[#list + 1] = products[at]
        end
    end
    unread = max(0, unread - count)
    return list
end

return _M
