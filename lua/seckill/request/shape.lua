-- The shape of a request before any of it is believed: one that no client of
-- ours has, and that others may read in another way, ends here.

local counters = require "seckill.counters"

local req = ngx.req
local var = ngx.var

local MAX_HEADERS = 100

local _M = {}

-- Called by every phase file first, and no phase of its own: a phase more
-- costs a request a tenth of its CPU. Does not return when it refuses.
-- refuse(code, fields): the caller's way to do so.
function _M.check(refuse)
    if req.http_version() < 1 then  -- 0.9: its answers have no status line
        counters.count("broken")
        return ngx.exit(444)
    end
    if not var.request:find("^%S+ +/") then
        return refuse("BAD_REQUEST",
            { message = "the address must begin with /" })
    end
    local _, more = req.get_headers(MAX_HEADERS)
    if more then
        return refuse("BAD_REQUEST",
            { message = "more than " .. MAX_HEADERS .. " headers" })
    end
end

return _M
