-- Header filter and log phase of an attempt that was sent on.

require("seckill.phases").release()
