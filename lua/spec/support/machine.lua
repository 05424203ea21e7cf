-- How many times slower this machine is now than the one on which bounds in
-- seconds, or in CPU time, were set; at least 1. A virtual machine may get a
-- fraction of its CPU for an hour, which says nothing of the edge.

local REFERENCE_S = 0.25  -- of work(), there

local machine = {}

-- Of memory as much as of the processor, for its caches are shared with others.
local function work()
    local kept = {}
    for i = 1, 4e5 do
        kept[i % 20000] = { ("one of many: %08d"):format(i), i }
    end
    return kept
end

local function slower_by(clock)
    local from = clock()
    work()
    return math.max(1, (clock() - from) / REFERENCE_S)
end

-- For bounds in seconds that pass.
function machine.slowness()
    return slower_by(require("edge").now)
end

-- For bounds in CPU time.
function machine.cpu_slowness()
    return slower_by(os.clock)
end

return machine
