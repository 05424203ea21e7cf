-- Rewrite phase of an attempt: the status it is refused with, or nothing.

local status = require("seckill.phases").decide()
return status
