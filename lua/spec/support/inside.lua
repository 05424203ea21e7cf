-- Cases that run inside a real nginx. A file of spec/inside/ returns a list
-- of { name, function }; it is read here for the names and there to be run.

local client = require "client"
local edge = require "edge"

local _M = {}

function _M.start()
    edge.prepare()
    assert(edge.render() == "")
    edge.start_nginx("inside", "inside.conf", function()
        return edge.sh("curl -s -o /dev/null -w '%%{http_code}'"
            .. " http://127.0.0.1:%d/", client.port + 2) == "404"
    end)
end

function _M.cases(file)
    return dofile("lua/spec/inside/" .. file .. ".lua")
end

-- What the case of this number said: "ok", "skip: WHY" or what failed.
function _M.run(file, number)
    return edge.sh("curl -s --max-time 8"
        .. " 'http://127.0.0.1:%d/case?file=%s&case=%d'",
        client.port + 2, file, number)
end

return _M
