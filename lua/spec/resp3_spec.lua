-- Redis's protocol as the connection of hints reads it. Bytes come as they are
-- told here; what a real Redis says is many_products_spec.lua's.

local resp3 = require "seckill.config.resp3"

-- A socket on which these pieces come one after the other, with a pause of a
-- timeout between two, and then nothing more; what is sent to it is kept.
local function socket_of(...)
    local pieces, bytes = { ... }, ""
    local socket = { sent = "" }
    function socket.receive(_, size)
        local ends = size or bytes:find("\r\n", 1, true)
        if ends and #bytes >= ends then
            local text = bytes:sub(1, size or ends - 1)
            bytes = bytes:sub((size or ends + 1) + 1)
            return text
        elseif not pieces[1] then
            return nil, "timeout", bytes
        end
        bytes = bytes .. table.remove(pieces, 1)
        if #bytes >= (size or bytes:find("\r\n", 1, true) or 1 / 0) then
            return socket.receive(_, size)
        end
        return nil, "timeout", bytes
    end
    function socket.send(_, text)
        socket.sent = socket.sent .. text
        return #text
    end
    return socket
end

local HINT = ">2\r\n$10\r\ninvalidate\r\n*2\r\n$2\r\nab\r\n$0\r\n\r\n"

describe("a message of Redis", function()
    local function read(...)
        return resp3.read(socket_of(...), resp3.new_room())
    end

    it("is a list of texts and lists, or a text", function()
        assert.same({ "invalidate", { "ab", "" } }, read(HINT))
        assert.same({ "a", "1", "b", "" }, read "%2\r\n+a\r\n:1\r\n+b\r\n_\r\n")
        assert.equal("PONG", read "+PONG\r\n")
        assert.same({}, read "~0\r\n")
    end)

    it("that is an error is none, and its text is why", function()
        assert.same({ nil, "NOPERM no" }, { read "-NOPERM no\r\n" })
    end)

    it("that is too large, too long or no number is none", function()
        for text, why in pairs {
            ["*100001\r\n"] = "too many items in a message",
            ["*2\r\n*99998\r\n"] = "timeout",
            ["*2\r\n*99999\r\n"] = "too many items in a message",
            ["%50001\r\n"] = "too many items in a message",
            ["*x\r\n"] = "too many items in a message",
            ["$1025\r\n"] = "too long a key",
            ["$x\r\n"] = "too long a key",
        } do
            assert.same({ nil, why }, { read(text) }, text)
        end
    end)

    it("has not come while nothing has, and is broken by a pause within it",
        function()
            assert.same({ nil, "silence" }, { read() })
            for at = 1, #HINT - 1 do
                local _, err = read(HINT:sub(1, at))
                assert.equal("timeout", err, at)
            end
        end)

    it("comes after silence", function()
        local socket, room = socket_of("", HINT), resp3.new_room()
        assert.same({ nil, "silence" }, { resp3.read(socket, room) })
        assert.same({ "invalidate", { "ab", "" } }, resp3.read(socket, room))
    end)

    it("is the answer to a command, whose words may hold any byte", function()
        local socket = socket_of "+OK\r\n"
        assert.equal("OK", resp3.ask(socket, { "auth", "a b\r\n" }))
        assert.equal("*2\r\n$4\r\nauth\r\n$5\r\na b\r\n\r\n", socket.sent)
    end)
end)
