-- UP once it is known what is in force, read of the control Redis or kept by
-- the last start; with nothing known every attempt would be answered BUSY.

local up = require("seckill.config.view").loaded()
ngx.status = up and 200 or 503
ngx.print(up and '{"status":"UP"}'
    or '{"status":"DOWN","reason":"the control Redis was not read, or'
        .. ' has lost its limits"}')
