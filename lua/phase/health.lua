-- UP once the control Redis has been read; with nothing read every attempt
-- would be answered BUSY.

local up = require("seckill.config.view").loaded()
ngx.status = up and 200 or 503
ngx.print(up and '{"status":"UP"}'
    or '{"status":"DOWN","reason":"the control Redis was never read"}')
