-- Sets the clock of one nginx, and no other program's: libfaketime, which
-- Debian packages. The machine's monotonic clock stays as it is.

local client = require "client"

local LIBRARY = "/usr/lib/*/faketime/libfaketime.so.1"
local NAMES = { "LD_PRELOAD", "FAKETIME_TIMESTAMP_FILE", "FAKETIME_NO_CACHE",
    "FAKETIME_DONT_FAKE_MONOTONIC" }

local _M = {}

-- NAME=VALUE for an nginx whose clock this sets.
function _M.environment()
    local library = client.sh("ls %s", LIBRARY):match("%S+")
    assert(library, "libfaketime is missing")
    _M.set(0)
    return ("LD_PRELOAD=%s FAKETIME_TIMESTAMP_FILE='%s/clock'"
        .. " FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1")
        :format(library, client.dir)
end

-- Lines for nginx.conf: its workers have no other names of the environment.
function _M.lines()
    return "env " .. table.concat(NAMES, ";\\nenv ") .. ";"
end

-- The clock is ahead of the machine's by so many seconds.
function _M.set(seconds)
    client.write(client.dir .. "/clock.new", ("%+d\n"):format(seconds))
    client.sh("mv '%s/clock.new' '%s/clock'", client.dir, client.dir)
end

return _M
