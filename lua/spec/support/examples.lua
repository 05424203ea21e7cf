-- The examples of contracts/examples/, which every reader's tests loop over.

local cjson = require "cjson"

local FOLDER = "contracts/examples/"

local _M = {}

function _M.text(path)
    local file = assert(io.open(FOLDER .. path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

-- The files of a folder, for example "sale/valid", that end so: the path
-- without its end, and the text. No file is an error.
function _M.each(folder, ending, run)
    local pipe = io.popen("cd " .. FOLDER .. folder .. " && ls")
    local count = 0
    for name in pipe:lines() do
        local stem = name:match("^(.*)%." .. ending .. "$")
        if stem then
            count = count + 1
            run(folder .. "/" .. stem, _M.text(folder .. "/" .. name))
        end
    end
    pipe:close()
    assert(count > 0, "no example in " .. folder)
end

function _M.each_json(folder, run)
    _M.each(folder, "json", function(name, text)
        run(name, cjson.decode(text))
    end)
end

return _M
