-- Header filter of an attempt that was sent on.

require("seckill.phases").answer()
