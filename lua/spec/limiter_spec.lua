-- Limiters and chains of them on real shared dicts, and what those of the edge
-- have room for: the cases of spec/inside/.

local edge = require "edge"
local inside = require "inside"

for _, file in ipairs { "limiters", "rates", "chains", "sizes" } do
    describe(file, function()
        setup(inside.start)
        teardown(edge.stop)
        for number, case in ipairs(inside.cases(file)) do
            it(case[1], function()
                local said = inside.run(file, number)
                if said:find("^skip: ") then
                    return pending(said)
                end
                assert.equal("ok", said)
            end)
        end
    end)
end
