-- Log phase of an attempt that was sent on.

require("seckill.phases").release()
