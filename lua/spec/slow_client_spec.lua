-- Clients that are slow, say half of it or go away with a reset: what an
-- attempt held is given back, nothing is taken before all of its head is
-- there, and every equation of the counters holds afterwards.

local balance = require "balance"
local edge = require "edge"
local wire = require "wire"

describe("the edge to a client", function()
    setup(function()
        edge.start()
        edge.start_redis()
    end)
    teardown(edge.stop)
    before_each(edge.seen)
    after_each(function()
        assert.equal("", balance.unbalanced(5))
        assert.equal(0, (balance.read()).seckill_in_flight)
    end)

    local function head(product, user, more)
        return "POST /seckill/flash/sale/deduct?productId=" .. product
            .. " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
            .. edge.token(user) .. "\r\n" .. (more or "") .. "\r\n"
    end

    local function with_body(product, user, length)
        return head(product, user, "Content-Length: " .. length .. "\r\n")
    end

    -- A sale of whose quota the node holds so many tokens already: a lease
    -- whose reply a busy machine made late is issued and never spent.
    local function sale_with(product, tokens)
        edge.sale(product, {}, tokens + 1)
        assert.is_true(edge.within(5, function()
            local is_leased = edge.buy(product, edge.stranger()) == 202
            if not is_leased then
                edge.redis("hset seckill:quota:%s issued 0", product)
            end
            return is_leased
        end))
        edge.seen()
    end

    -- How many of so many strangers pass: the tokens that are left.
    local function passing(product, count)
        edge.prepare_run(edge.attempts(product, count), "strangers")
        local tally = edge.tally(edge.run("strangers", 1))
        -- 503: a lease may be late on a busy machine
        assert.equal(count, (tally[202] or 0) + (tally[429] or 0)
            + (tally[503] or 0))
        return tally[202] or 0
    end

    -- True once the next hop was asked; the attempt is then in the middle.
    local function is_asked()
        return edge.within(2, function()
            return edge.seen() > 0
        end)
    end

    local function growth(before)
        local after = balance.read()
        return function(series)
            return (after[series] or 0) - (before[series] or 0)
        end
    end

    it("that sends its head byte by byte answers once all is there",
        function()
            sale_with("801", 1)
            local before = balance.read()
            local bytes = head("801", "drip", "Connection: close\r\n")
            local connection = wire.open()
            for i = 1, #bytes - 1 do
                assert.is_true(connection:send(bytes:sub(i, i)))
                edge.sleep(0.001)
            end
            assert.equal("", (connection:receive(0.1)))
            assert.equal(0, edge.seen())
            assert.equal(0, growth(before) "seckill_attempts_total")
            assert.is_true(connection:send(bytes:sub(-1)))
            local answer, is_closed = connection:receive(2)
            connection:close()
            assert.matches("^HTTP/1.1 202 ", answer)
            assert.is_true(is_closed)
            assert.equal(1, edge.seen())
            assert.equal(0, passing("801", 1))
        end)

    it("that ends its half after an attempt still gets the answer",
        function()
            sale_with("802", 1)
            local connection = wire.open()
            connection:send(head("802", "slow802", "Connection: close\r\n"))
            connection:finish()
            assert.matches("^HTTP/1.1 202 ", (connection:receive(2)))
            connection:close()
            assert.equal(0, passing("802", 1))
        end)

    it("that resets within a body gives token and mark back at once",
        function()
            sale_with("803", 1)
            local before = balance.read()
            local connection = wire.open()
            connection:send(with_body("803", "stuck", 9) .. "half")
            assert.is_true(edge.within(2, function()
                return balance.read().seckill_in_flight == 1
            end))
            assert.equal(429, (edge.buy("803", "stuck")))  -- the mark
            assert.equal(429, (edge.buy("803", "other")))  -- the token
            connection:reset()
            assert.is_true(edge.within(1, function()
                return edge.buy("803", "stuck") == 202
            end))
            assert.equal(1, edge.seen())  -- never with half a body
            -- What never left the edge took nothing: that needed the token.
            assert.equal(0, passing("803", 2))
            assert.equal(1, growth(before)
                'seckill_answered_total{code="NO_ANSWER"}')
        end)

    -- Resets right after an attempt that takes half a second was sent on,
    -- and tries again at once: the status, and how many such attempts it
    -- took until that was within the half second.
    local function try_after_reset(product)
        for try = 1, 5 do
            local user = "slow" .. product .. "x" .. try
            local connection = wire.open()
            local started = edge.now()
            connection:send(head(product, user))
            assert.is_true(is_asked())
            connection:reset()
            local status = edge.buy(product, user)
            if edge.now() < started + 0.45 then
                return user, status, try
            end
        end
        error("the machine is too slow: five times half a second")
    end

    it("that resets after its attempt holds the mark until the answer",
        function()
            sale_with("804", 10)
            local before = balance.read()
            local user, status, tries = try_after_reset "804"
            assert.equal(429, status)
            assert.is_true(edge.within(2, function()
                return edge.buy("804", user) == 202
            end))
            -- The shard gave a unit, whoever reads that: its token is spent.
            assert.equal(tries, growth(before) "seckill_tokens_kept_total")
            assert.equal(10 - tries, passing("804", 12))
        end)

    it("that resets wherever it likes costs no token", function()
        sale_with("805", 5)
        local bytes = with_body("805", "beaten", 6) .. "body"
        local cuts = 0
        for at = 0, #bytes, 7 do
            local connection = wire.open()
            connection:send(bytes:sub(1, at))
            edge.sleep(at % 3 * 0.002)  -- sometimes before it is read
            connection:reset()
            cuts = cuts + 1
        end
        assert.is_true(cuts > 30)
        for _ = 1, 10 do
            local connection = wire.open()
            connection:send(bytes .. "..")
            edge.sleep(0.002)
            connection:reset()
        end
        assert.equal("", balance.unbalanced(5))
        assert.equal(5, passing("805", 7))
    end)

    it("that resets a connection with more attempts on it costs none",
        function()
            sale_with("806", 3)
            for _, user in ipairs { "beaten", "bought", "broken" } do
                local connection = wire.open()
                connection:send(head("806", user):rep(20))
                edge.sleep(0.02)
                connection:reset()
            end
            assert.equal("", balance.unbalanced(5))
            assert.equal(3, passing("806", 5))
        end)

    it("that trickles its head or never sends its body is cut", function()
        sale_with("808", 1)
        local before = balance.read()
        local silent, trickling = wire.open(), wire.open()
        local started = edge.now()
        silent:send(with_body("808", "silent", 900))
        local bytes, sent = head("808", "trickle"), 0
        assert.equal(429, (edge.buy("808", "other")))
        -- Each byte comes well within any time to wait for the next one.
        while edge.now() < started + 8 do
            sent = sent + 1
            if not trickling:send(bytes:sub(sent, sent)) then
                break
            end
            edge.sleep(0.2)
        end
        assert.is_true(edge.now() - started < 8)
        assert.is_true(select(2, silent:receive(1)))
        silent:close()
        trickling:close()
        assert.is_true(sent < #bytes)
        assert.equal(0, edge.seen())
        local grown = growth(before)
        assert.equal(1, grown "seckill_tokens_given_back_total")
        assert.equal(1, grown "seckill_calls_broken_total")
        assert.equal(202, (edge.buy("808", "silent")))
        assert.equal(0, passing("808", 2))
    end)
end)
