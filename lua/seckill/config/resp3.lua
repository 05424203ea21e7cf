-- Redis's protocol (RESP3) on a socket of nginx's own, for a connection on
-- which Redis also speaks by itself: the clients that nginx has cannot wait for
-- that. Bounded: in items of a message and in bytes of a text (what exceeds
-- them is an error), and in what is read in one go.

local MAX_ITEMS = 100000  -- a script may change all products' keys at once
local MAX_BYTES = 1024
local LINES = 2000  -- read in one go; then nginx serves others
local PAUSE_SECONDS = 0.001

-- Types that hold others, and how many per count.
local HOLDS = { ["*"] = 1, [">"] = 1, ["~"] = 1, ["%"] = 2 }

local _M = {}

local read

local function read_list(sock, count, room)
    if not count or count > room.items then
        return nil, "too many items in a message"
    end
    room.items = room.items - count
    local list = {}
    for i = 1, count do
        local item, err = read(sock, room)
        if not item then
            return nil, err
        end
        list[i] = item
    end
    return list
end

local function read_text(sock, size)
    if not size or size > MAX_BYTES then
        return nil, "too long a key"
    end
    local text, err = sock:receive(size + 2)
    return text and text:sub(1, size), err
end

local function next_line(sock, room)
    room.lines = room.lines + 1
    if room.lines % LINES == 0 then
        ngx.sleep(PAUSE_SECONDS)
    end
    return sock:receive()
end

function read(sock, room)
    local line, err, part = next_line(sock, room)
    if not line then
        return nil, err == "timeout" and part == "" and not room.has_begun
            and "silence" or err
    end
    room.has_begun = true
    local kind, rest = line:sub(1, 1), line:sub(2)
    if HOLDS[kind] then
        return read_list(sock, (tonumber(rest) or 1 / 0) * HOLDS[kind], room)
    elseif kind == "$" then
        return read_text(sock, tonumber(rest))
    elseif kind == "-" then
        return nil, rest
    end
    return rest
end

-- What a reader of one message after the other hands to each read(): how many
-- items the message may still have and whether any of it has come, and how many
-- lines were read so far.
function _M.new_room()
    return { items = MAX_ITEMS, lines = 0 }
end

-- One message: a list, or a text (of a number, or a null, too); nil and why
-- there is none. "silence": none of it has come so far, and it may be read for
-- again.
function _M.read(sock, room)
    room.items, room.has_begun = MAX_ITEMS, false
    return read(sock, room)
end

-- What a command is answered, as read(). It goes with the lengths of its
-- words: a password may hold any byte.
function _M.ask(sock, words)
    local parts = { "*" .. #words }
    for _, word in ipairs(words) do
        parts[#parts + 1] = "$" .. #word .. "\r\n" .. word
    end
    local ok, err = sock:send(table.concat(parts, "\r\n") .. "\r\n")
    if not ok then
        return nil, err
    end
    return _M.read(sock, _M.new_room())
end

return _M
