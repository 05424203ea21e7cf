-- What a full dict may push out: nothing by a plain write that nobody counts,
-- and no live entry of any dict but the state, whose writes must not fail.

local balance = require "balance"
local edge = require "edge"

-- Lines of Lua that write to a dict so that it may push something out: set
-- and add, and an incr that has a first value.
local function unsafe(text)
    local found = {}
    for line in text:gsub("%-%-[^\n]*", ""):gmatch("[^\n]+") do
        if line:find(":set%(") or line:find(":add%(")
                or line:find(":replace%(") or line:find(":[lr]push%(")
                or line:find(":incr%([^()]+,[^()]+,")
                or line:find(":incr%(.-%b().-,.-,") then
            found[#found + 1] = line:match("^%s*(.-)%s*$")
        end
    end
    return found
end

describe("a full dict", function()
    -- What may: lrucache is no dict, and these two count.
    local MAY = {
        ["lua/seckill/request/identity.lua"] = 1,
        ["lua/seckill/config/view.lua"] = 1,
        ["lua/seckill/forced.lua"] = 3,
        ["lua/seckill/counters.lua"] = 1,
        ["lua/seckill/limit/resty_req.lua"] = 1,  -- one of its size, in place
    }

    it("pushes nothing out that is not counted: no other plain write",
        function()
            local seen = {}
            for path in edge.sh("find lua/seckill lua/phase nginx -name"
                    .. " '*.lua' -o -name '*.template'"):gmatch("%S+") do
                local file = assert(io.open(path))
                local found = unsafe(file:read("*a"))
                file:close()
                seen[path] = #found > 0 and #found or nil
            end
            assert.same(MAY, seen)
        end)

    it("would be seen to be written plainly", function()
        for _, line in ipairs { "dict:set(key, 1)", "state:add(k, v, 1)",
                "dict:incr(key, 1, 0)", "dict:incr(f(a, b), 1, 0)",
                "ngx.shared.a:rpush(k, v)" } do
            assert.equal(1, #unsafe(line), line)
        end
        for _, line in ipairs { "dict:safe_set(key, 1)", "dict:incr(key, 1)",
                "dict:safe_add(k, v, 1)", "-- dict:set(key)" } do
            assert.equal(0, #unsafe(line), line)
        end
    end)

    describe("of a node", function()
        setup(function()
            edge.start("", true)
            edge.start_redis()
            edge.sale("518", {}, 1000)
            edge.sale("519", {}, 1000)
        end)
        teardown(edge.stop)

        local function fill(dict)
            edge.http("GET", "/fill?dict=seckill_" .. dict,
                { base = edge.internal })
        end

        local function fillers(dict)
            local _, _, keys = edge.http("GET", "/keys?dict=seckill_" .. dict,
                { base = edge.internal })
            return edge.count_of(keys, "fill")
        end

        local function forced(dict)
            return balance.read()[
                'seckill_dict_forced_evictions{dict="seckill_' .. dict
                .. '"}']
        end

        for _, dict in ipairs { "inflight", "sold_out", "holders", "tops",
                "users", "leases", "rates" } do
            it("keeps every live entry, whatever is asked: " .. dict,
                function()
                    fill(dict)
                    local before = fillers(dict)
                    assert.is_true(before > 0)
                    edge.flood(edge.attempts("518", 40), 8)
                    edge.buy("519", "last")
                    edge.http("GET", "/seckill/orders", { user = "a" })
                    edge.sleep(1.1)  -- tops are told once a second
                    assert.equal(before, fillers(dict))
                    assert.equal(0, forced(dict))
                    edge.http("GET", "/empty?dict=seckill_" .. dict,
                        { base = edge.internal })
                end)
        end

        it("of its state goes on, and each eviction is counted", function()
            assert.equal(0, forced "state")
            fill "state"
            assert.is_true(edge.within(3, function()
                return forced "state" > 0 and edge.http("GET", "/health",
                    { base = edge.internal }) == 200
            end))
            edge.redis("hset seckill:sale:518 name Renamed")
            assert.is_true(edge.within(2, function()
                local _, _, sale = edge.http("GET", "/seckill/sales/518")
                return type(sale) == "table" and sale.name == "Renamed"
            end))
        end)
    end)
end)
