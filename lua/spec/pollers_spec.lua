-- A crowd that asks for results, orders or paths while the service behind
-- them is slow: it waits in bounded number, and attempts need no place of it.

local balance = require "balance"
local edge = require "edge"
local wire = require "wire"

local SALE = "/seckill/flash/sale/"
local ROUTES = {
    { "result", "GET", SALE .. "result?productId=850", 256 },
    { "orders", "GET", "/seckill/orders", 128 },
    { "path", "POST", SALE .. "path?productId=851", 256 },
}

-- A connection per user, each with one call of this route under way.
local function ask(route, prefix, count)
    local calls, connections = {}, {}
    for i = 1, count do
        calls[i] = ("%s %s HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n"
            .. "Authorization: Bearer %s\r\n\r\n"):format(route[2], route[3],
            edge.token(prefix .. i))
    end
    for i = 1, count do
        connections[i] = wire.open()
        assert(connections[i]:send(calls[i]))
    end
    return connections
end

local function end_all(connections, how)
    for _, connection in ipairs(connections) do
        connection[how](connection)
    end
end

-- How many were answered with 200, and how many with 503 and BUSY.
local function answers_of(connections)
    local served, busy = 0, 0
    for _, connection in ipairs(connections) do
        local text = connection:receive(0.01)
        for _ = 1, 400 do
            if text ~= "" then
                break
            end
            text = connection:receive(0.01)
        end
        if text:find("^HTTP/1.1 200") then
            served = served + 1
        elseif text:find('^HTTP/1.1 503.*Retry%-After: .*"code":"BUSY"') then
            busy = busy + 1
        end
    end
    end_all(connections, "close")
    return served, busy
end

describe("a crowd of pollers", function()
    setup(function()
        edge.start("SECKILL_WORKERS=1")
        edge.start_redis()
        edge.redis("hset seckill:limits:product:851 qps 1000000")
        edge.sale("850", {}, 100000)
        edge.sale("851", { path = "on" })
        -- room for all places, and for no crowd
        edge.stop_edge()
        edge.sh("sed -i 's/worker_connections .*/worker_connections 700;/'"
            .. " '%s/edge/nginx.conf'", edge.dir)
        edge.start_edge()
        assert(edge.within(5, function()
            return edge.http("GET", "/health", { base = edge.internal }) == 200
        end))
    end)
    teardown(edge.stop)

    it("whose service is slow leaves attempts their connections", function()
        edge.prepare_run(edge.attempts("850", 100), "attempts")
        local crowd = ask(ROUTES[1], "slower", 600)
        local answers = edge.run("attempts", 4)
        assert.same({ [202] = 100 }, edge.tally(answers))
        for _, answer in ipairs(answers) do
            assert.is_true(answer.ms < 1000, answer.ms)
        end
        local served, busy = answers_of(crowd)
        assert.equal(256, served)
        assert.equal(344, busy)
    end)

    for _, route in ipairs(ROUTES) do
        it("of " .. route[1] .. " gets its places back, however a call ends",
            function()
                answers_of(ask(route, "echo", 40))
                answers_of(ask(route, "broken", 40))
                local gone = ask(route, "hang", 40)
                edge.sleep(0.1)
                end_all(gone, "reset")
                edge.sleep(0.1)
                local served, busy = answers_of(
                    ask(route, "slower_" .. route[1], route[4] + 3))
                assert.equal(route[4], served)
                assert.equal(3, busy)
            end)
    end

    it("gets them back of orders that are none", function()
        for i = 1, 140 do
            edge.prepare_run({ { "GET", "/seckill/orders/1", "none" .. i } },
                "none")
            assert.equal(404, edge.run("none", 1)[1].status)
        end
        assert.equal(200, (edge.http("GET", "/seckill/orders",
            { user = "buyer" })))
    end)

    it("takes none of a user's calls when it finds no place", function()
        local requests = {}
        for i = 1, 30 do
            requests[i] = { "GET", "/seckill/orders", "late" }
        end
        edge.prepare_run(requests, "late")
        local crowd = ask(ROUTES[2], "slower", 128)
        assert.same({ [503] = 30 }, edge.tally(edge.run("late", 1)))
        answers_of(crowd)
    end)

    it("that a killed worker served leaves no place taken", function()
        ask(ROUTES[2], "hang", 128)
        edge.sleep(0.1)
        edge.sh("pkill -9 -P %d", edge.edge_pid)
        assert.is_true(edge.within(5, function()
            return edge.http("GET", "/seckill/orders",
                { user = edge.stranger() }) == 200
        end))
        local served, busy = answers_of(ask(ROUTES[2], "slower_after", 129))
        assert.equal(128, served)
        assert.equal(1, busy)
    end)
end)

describe("a crowd that a leaky bucket delays", function()
    setup(function()
        edge.start("SECKILL_WORKERS=1 SECKILL_LIMITER_USER=leaky_bucket"
            .. " SECKILL_BURST_MS=1000")
        edge.start_redis()
        edge.sale("852")
    end)
    teardown(edge.stop)

    it("takes no place of those that wait for a service meanwhile", function()
        local calls, connections = {}, {}
        for i = 1, 200 do  -- 128 places; twenty of a user in a second
            calls[i] = ("GET /seckill/orders HTTP/1.1\r\nHost: a\r\n"
                .. "Authorization: Bearer %s\r\n\r\n")
                :format(edge.token("delayed" .. i % 10))
        end
        for i = 1, #calls do
            connections[i] = wire.open()
            assert(connections[i]:send(calls[i]))
        end
        local served, busy = answers_of(connections)
        assert.same({ 200, 0 }, { served, busy })
    end)
end)

describe("crowds of pollers on two nodes", function()
    setup(function()
        edge.start("SECKILL_WORKERS=1")
        edge.start_redis()
        edge.sale("853")
        edge.start_second("SECKILL_WORKERS=1")
    end)
    teardown(edge.stop)

    it("hold no more of a service's one instance than on one", function()
        assert.is_true(edge.within(3, function()
            local series = balance.read()
            return series.seckill_nodes_known == 2
        end))
        local route = { "result", "GET", SALE .. "result?productId=853" }
        local served, busy = answers_of(ask(route, "slower_two", 130))
        assert.same({ 128, 2 }, { served, busy })
    end)

    it("get all places back when a node has gone", function()
        edge.kill_node "second_pid"
        assert.is_true(edge.within(10, function()
            return balance.read().seckill_nodes_known == 1
        end))
        local route = { "result", "GET", SALE .. "result?productId=853" }
        local served, busy = answers_of(ask(route, "slower_one", 258))
        assert.same({ 256, 2 }, { served, busy })
    end)
end)
