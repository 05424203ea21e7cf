-- The bounds of contracts/bounds.json, for rules that run without a node.

local bounds = require "seckill.config.bounds"
local cjson = require "cjson"

local file = assert(io.open("contracts/bounds.json"))
bounds.init(cjson.decode(file:read("*a")))
file:close()

return bounds
