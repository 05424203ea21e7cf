-- The token key file, by the grammar of contracts/README.md: KID SECRET per
-- line, read in the same words by every reader. Several keys are valid during
-- a rotation and the first one signs.

local MAX_KEYS = 8

local _M = {}

-- KID and SECRET of a line; nil for one to skip; or nil and the fault.
local function read_line(line)
    if line:find("\r$") then
        return nil, "must be KID SECRET"
    end
    if line:find("^[ \t]*$") or line:find("^[ \t]*#") then
        return nil
    end
    local kid, secret = line:match("^[ \t]*([^ \t]+)[ \t]+([^ \t]+)[ \t]*$")
    if not kid then
        return nil, "must be KID SECRET"
    elseif #kid > 64 or kid:find("[^A-Za-z0-9_.-]") then
        return nil, "a key id has 1 to 64 of A-Z a-z 0-9 _ . -"
    elseif #secret < 32 or #secret > 512 or secret:find("[^!-~]") then
        return nil, "a secret has 32 to 512 visible characters"
    end
    return kid, secret
end

-- Adds a line's key. The fault, or nil.
local function add(keys, line)
    local kid, secret = read_line(line)
    if not kid then
        return secret
    elseif keys[kid] then
        return "key id '" .. kid .. "' is there twice"
    elseif #keys == MAX_KEYS then
        return "at most " .. MAX_KEYS .. " keys"
    end
    keys[#keys + 1] = secret
    keys[kid] = secret
end

-- Every secret in order and by its key id; or nil and the fault, which names
-- the line and never a secret.
function _M.parse(text)
    local keys, number = {}, 0
    for line in text:gsub("\n$", ""):gmatch("([^\n]*)\n?") do
        number = number + 1
        local fault = add(keys, line)
        if fault then
            return nil, ("line %d: %s"):format(number, fault)
        end
    end
    if #keys == 0 then
        return nil, "holds no key"
    end
    return keys
end

return _M
