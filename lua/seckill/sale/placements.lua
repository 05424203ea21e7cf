-- Where a sale's units lie: `SHARD:EPOCH:STATE` for each place of its ring,
-- separated by single spaces (contracts/README.md). The edge asks no shard;
-- it wants to know which lives of the shards a word about the sale is about.

local MAX = 64
local MAX_DIGITS = 9

local STATES = { OPEN = true, RECOVERING = true, RETIRED = true }

local _M = {}

local function whole(text, least)
    return #text <= MAX_DIGITS and not text:find("^0.")
        and tonumber(text) >= least
end

-- `SHARD:EPOCH` of each place, joined by commas; nil when it is no ring.
function _M.epochs(text)
    local epochs, seen = {}, {}
    for place in (text .. " "):gmatch("(.-) ") do
        local shard, epoch, state = place:match("^(%d+):(%d+):(%u+)$")
        if not shard or seen[shard] or not STATES[state]
                or not whole(shard, 0) or not whole(epoch, 1) then
            return nil
        end
        seen[shard] = true
        epochs[#epochs + 1] = shard .. ":" .. epoch
    end
    return #epochs <= MAX and table.concat(epochs, ",") or nil
end

return _M
