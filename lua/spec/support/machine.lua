-- How many times slower this machine is now than the one on which bounds in
-- seconds, or in CPU time, were set; at least 1. A virtual machine may get a
-- fraction of its CPU for an hour, which says nothing of the edge.

local REFERENCE_S = 0.3  -- of work(), there

local machine = {}

local function work()
    local x = 0
    for i = 1, 3e7 do
        x = (x + i * 7) % 1000003
    end
    return x
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
