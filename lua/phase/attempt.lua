-- Access phase of an attempt that nothing speaks against.

require("seckill.phases").admit()
