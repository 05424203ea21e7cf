-- Seconds since the machine was started, as fractions: one clock for all
-- workers, read anew by each call, which no setting of the time moves. nginx
-- has only the time of day, and reads it once per turn of a worker's loop.

local ffi = require "ffi"

-- A name of its own, for whoever else declares it may name its types otherwise.
ffi.cdef [[
typedef struct { long sec, nsec; } seckill_time;
int seckill_clock_gettime(int clock, seckill_time *to)
    __asm__("clock_gettime");
]]

local MONOTONIC = 1
local C = ffi.C
local time = ffi.new "seckill_time"

return function()
    C.seckill_clock_gettime(MONOTONIC, time)
    return tonumber(time.sec) + tonumber(time.nsec) / 1e9
end
