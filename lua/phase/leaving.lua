-- Header filter of a call that waited for a service.

require("seckill.request.leaving").tell()
require("seckill.calls").leave()
