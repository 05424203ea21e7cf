-- Log phase of a request that ended before it came to a location: its client
-- went away or was too slow to say what it wants.

require("seckill.counters").count("broken")
