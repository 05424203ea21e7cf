-- One client connection byte for byte, which curl cannot be: it sends what
-- and when it is told, and can end with a reset.

local client = require "client"  -- declares struct seckill_time
local ffi = require "ffi"

ffi.cdef [[
struct seckill_address {
    unsigned short family, port;
    unsigned char host[4], unused[8];
};
struct seckill_linger { int on, seconds; };
int socket(int domain, int type, int protocol);
int connect(int fd, const struct seckill_address *address, unsigned int size);
int setsockopt(int fd, int level, int name, const void *value,
    unsigned int size);
long send(int fd, const void *bytes, size_t count, int flags);
long recv(int fd, void *bytes, size_t count, int flags);
int shutdown(int fd, int how);
int close(int fd);
]]
local C = ffi.C

-- Linux's numbers.
local AF_INET, SOCK_STREAM, SOCK_CLOEXEC = 2, 1, 0x80000
local SOL_SOCKET, SO_LINGER, SO_RCVTIMEO = 1, 13, 20
local IPPROTO_TCP, TCP_NODELAY = 6, 1
local MSG_NOSIGNAL, SHUT_WR = 0x4000, 1

local SKIPPED_BYTES, LAST = 8192, ("}"):byte()
local skipped = ffi.new("char[?]", SKIPPED_BYTES)

local _M = {}
local MT = { __index = _M }

local function set(fd, level, name, value)
    assert(C.setsockopt(fd, level, name, value, ffi.sizeof(value)) == 0)
end

-- A connection to the edge, or to that port of this machine. No child of this
-- process inherits it, or it would stay open after close().
function _M.open(port)
    local fd = C.socket(AF_INET, SOCK_STREAM + SOCK_CLOEXEC, 0)
    port = port or client.port
    local address = ffi.new("struct seckill_address", { family = AF_INET,
        port = port % 256 * 256 + math.floor(port / 256),
        host = { 127, 0, 0, 1 } })
    assert(C.connect(fd, address, ffi.sizeof(address)) == 0)
    set(fd, IPPROTO_TCP, TCP_NODELAY, ffi.new("int[1]", 1))
    return setmetatable({ fd = fd }, MT)
end

-- False when the edge has closed the connection.
function _M:send(bytes)
    return C.send(self.fd, bytes, #bytes, MSG_NOSIGNAL) == #bytes
end

-- Says that no more will come, and still listens.
function _M:finish()
    C.shutdown(self.fd, SHUT_WR)
end

-- Everything that comes back until the edge closes the connection, or says
-- nothing for so many seconds; and whether it has closed.
function _M:receive(seconds)
    set(self.fd, SOL_SOCKET, SO_RCVTIMEO, ffi.new("struct seckill_time",
        math.floor(seconds), seconds % 1 * 1e6))
    local parts, room = {}, ffi.new("char[?]", 8192)
    while true do
        local count = tonumber(C.recv(self.fd, room, 8192, 0))
        if count <= 0 then
            local is_waiting = count < 0 and ffi.errno() == 11  -- EAGAIN
            return table.concat(parts), not is_waiting
        end
        parts[#parts + 1] = ffi.string(room, count)
    end
end

-- Reads one answer, which ends in the one "}" that it has. False when the edge
-- closes before.
function _M:skip()
    while true do
        local got = tonumber(C.recv(self.fd, skipped, SKIPPED_BYTES, 0))
        if got <= 0 then
            return false
        elseif skipped[got - 1] == LAST then
            return true
        end
    end
end

function _M:close()
    C.close(self.fd)
end

-- Ends with a reset (RST) and no goodbye.
function _M:reset()
    set(self.fd, SOL_SOCKET, SO_LINGER, ffi.new("struct seckill_linger", 1, 0))
    C.close(self.fd)
end

return _M
