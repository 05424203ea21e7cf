-- A worker that leaves, at a reload or a stop, takes no further request on a
-- connection and closes it after the answer under way. Its client is told so
-- in that answer; else it may send its next request into the closing.

local exiting = ngx.worker.exiting
local header = ngx.header

local _M = {}

-- In a header filter. The first line makes nginx write "Connection: close" by
-- itself, the second one takes away that the module would write it, too.
function _M.tell()
    if exiting() then
        header.connection = "close"
        header.connection = nil
    end
end

return _M
