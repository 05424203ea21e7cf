-- What an edge prints at /metrics, and which equations of
-- contracts/counters.json do not hold in it.

local cjson = require "cjson"
local client = require "client"

local _M = {}

function _M.rows()
    local file = assert(io.open("contracts/counters.json"))
    local all = cjson.decode(file:read("*a"))
    file:close()
    local rows = {}
    for _, row in ipairs(all) do
        if row.hop == "edge" then
            rows[#rows + 1] = row
        end
    end
    return rows
end

-- Values by series, for example 'seckill_refused_total{code="BUSY"}', and
-- sums by name. Whatever is no line of Prometheus's text format is an error.
function _M.read()
    local status, headers, text = client.http("GET", "/metrics",
        { base = client.internal })
    assert(status == 200 and headers["content-type"]
        == "text/plain; version=0.0.4")
    local series, sums, typed = {}, {}, {}
    for line in text:gsub("\r", ""):gmatch("([^\n]+)\n?") do
        local name, labels, value =
            line:match('^([a-z_]+){([%w_=",]-),?hop="edge"} (%d+)$')
        if name then
            assert(typed[name], "no TYPE before " .. line)
            labels = labels ~= "" and "{" .. labels .. "}" or ""
            assert(not series[name .. labels], "there twice: " .. line)
            series[name .. labels] = tonumber(value)
            sums[name] = (sums[name] or 0) + tonumber(value)
        elseif line:find("^# TYPE ") then
            typed[line:match("^# TYPE ([a-z_]+) %a+$")] = true
        else
            assert(line:find("^# HELP [a-z_]+ %S"), "what is " .. line)
        end
    end
    return series, sums
end

-- The names whose equation does not hold, with both sides. A counter with a
-- label prints no line before it has counted.
function _M.wrong(sums)
    local wrong = {}
    for _, row in ipairs(_M.rows()) do
        local sum = 0
        for name in (row.equals or ""):gmatch("[%w_]+") do
            sum = sum + (sums[name] or 0)
        end
        local count = sums[row.name] or 0
        if row.equals and count ~= sum then
            wrong[#wrong + 1] = ("%s is %d and not %d"):format(row.name,
                count, sum)
        end
    end
    return wrong
end

-- The equations that still do not hold after some seconds, as one text.
function _M.unbalanced(seconds)
    local wrong
    client.within(seconds or 3, function()
        local _, sums = _M.read()
        wrong = _M.wrong(sums)
        return #wrong == 0
    end)
    return table.concat(wrong, "; ")
end

return _M
