-- The key file: "kid secret" per line, "#" starts a comment line. Two keys
-- are valid during a rotation and the first one signs (contracts/README.md).

local MAX_KEYS = 8
local MIN_SECRET = 32

local _M = {}

local function read_line(keys, line, at)
    if line:find("^%s*$") or line:find("^%s*#") then
        return
    end
    local kid, secret = line:match("^([%w_.-]+)%s+(%S+)%s*$")
    assert(kid, at .. ": a line must be: kid secret")
    assert(#kid <= 64, at .. ": a kid has at most 64 characters")
    assert(#secret >= MIN_SECRET, at .. ": a secret has at least "
        .. MIN_SECRET .. " characters")
    assert(not keys[kid], at .. ": this kid is there twice")
    assert(#keys < MAX_KEYS, at .. ": at most " .. MAX_KEYS .. " keys")
    keys[#keys + 1] = secret
    keys[kid] = secret
end

-- A table with every secret in order and by its kid; an error names the
-- line, never a secret.
function _M.parse(text, file)
    local keys, number = {}, 0
    for line in text:gmatch("[^\r\n]+") do
        number = number + 1
        read_line(keys, line, "SECKILL_TOKEN_KEYS: " .. file
            .. ": key line " .. number)
    end
    assert(#keys > 0, "SECKILL_TOKEN_KEYS: " .. file .. " holds no key")
    return keys
end

return _M
