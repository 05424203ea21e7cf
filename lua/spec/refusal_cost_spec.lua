-- What a refusal costs the worker that says it, in CPU time: a decision of some
-- microseconds beside nginx's own return, hardly more than nginx's limit_req
-- takes to refuse, and not much more however many products and users there
-- are. The figures are told; the bounds are wider than what a quiet machine
-- tells, for others work on this one. (What measures is ./seckill bench
-- refusals growth.)

local edge = require "edge"
local wire = require "wire"

local CONNECTIONS = 50  -- each has one request under way
local MOST = 9000  -- requests on each, of which nginx takes 10,000
local ROUNDS = 5  -- others work on this machine, too: the least of them counts
local COUNT = 5000  -- requests of a round

local DECISION_US = 5
local OF_LIMIT_REQ, OF_LIMIT_REQ_NEW = 1.5, 3  -- without, and with a new token
local FLAT = 2
local IN_TURN = 2.5  -- what is asked for now and then is in no cache of the CPU
local TRIES = 3

local PRODUCTS, FIRST = 10000, 4000001
local FEW_USERS, MANY_USERS = 1000, 1000000
local TOKENS, MORE_TOKENS = 15000, 60000  -- of which a worker remembers 10,000
local GROWTH_KB = 30000  -- of memory; of all of them it would be 70 MB and more

local function attempt(product, token)
    return ("POST /seckill/flash/sale/deduct?productId=%s HTTP/1.1\r\n"
        .. "Host: a\r\n%s\r\n"):format(product,
        token and "Authorization: Bearer " .. token .. "\r\n" or "")
end

local function product_of(i)
    return tostring(FIRST + i % PRODUCTS)
end

-- A new user's token, as claims go: what needs no signature looks at no more.
-- The number stands where base64url begins anew.
local HEADER = edge.base64url '{"alg":"HS256","kid":"k2"}' .. "."
    .. edge.base64url '{"sub":"u'
local TAIL = edge.base64url '","iat":1,"exp":9999999999}' .. "."
    .. ("A"):rep(43)
local DIGITS = {}
for i = 0, 999 do
    DIGITS[i] = edge.base64url(("%03d"):format(i))
end
local function token_of(i)
    return HEADER .. DIGITS[math.floor(i / 1000)] .. DIGITS[i % 1000] .. TAIL
end

describe("a refusal", function()
    local worker

    setup(function()
        edge.start("SECKILL_WORKERS=1", true)
        edge.start_redis()
        edge.sale(product_of(0), { sold_out = 1 })
        worker = edge.sh("pgrep -P %d", edge.edge_pid):match("%d+")
    end)
    teardown(edge.stop)

    -- Microseconds of CPU that the worker has had.
    local function cpu_us()
        local file = assert(io.open("/proc/" .. worker .. "/schedstat"))
        local ns = tonumber(file:read("*l"):match("^%d+"))
        file:close()
        return ns / 1000
    end

    local function open(port)
        local connections = {}
        for i = 1, CONNECTIONS do
            connections[i] = wire.open(port)
        end
        return connections
    end

    local function close(connections)
        for _, connection in ipairs(connections) do
            connection:close()
        end
    end

    -- Sends the requests from that one on, one on each connection.
    local function send(connections, request, from)
        local texts = {}
        for i = 1, CONNECTIONS do
            texts[i] = request(from + i - 1)
        end
        for i = 1, CONNECTIONS do
            assert(connections[i]:send(texts[i]))
        end
    end

    -- Microseconds for each of so many requests; request(i) makes the i-th.
    local function measure(request, count, port)
        local connections, used = open(port), 0
        for turn = 0, count / CONNECTIONS - 1 do
            if turn % MOST == MOST - 1 then
                close(connections)
                connections = open(port)
            end
            local before = cpu_us()
            send(connections, request, turn * CONNECTIONS)
            for i = 1, CONNECTIONS do
                assert(connections[i]:skip())
            end
            used = used + cpu_us() - before
        end
        close(connections)
        return used / count
    end

    -- The least of some rounds of each, which take turns, and of best.
    local function least(requests, count, best)
        best = best or {}
        for _ = 1, ROUNDS do
            for name, request in pairs(requests) do
                best[name] = math.min(best[name] or math.huge,
                    measure(request[1], count or COUNT, request[2]))
            end
        end
        return best
    end

    local function says_sold_out(request)
        local connections, count = open(), 0
        send(connections, request, 0)
        for _, connection in ipairs(connections) do
            count = count + edge.count_of(connection:receive(0.01),
                '"code":"SOLD_OUT"')
        end
        close(connections)
        return count == CONNECTIONS
    end

    local function tell(...)
        print("# " .. (...):format(select(2, ...)))
    end

    local function one()
        return attempt(product_of(0))
    end

    local function each(i)
        return attempt(product_of(i))
    end

    local function is_flat(few, many, most, what)
        assert.is_true(many <= few * most, ("%s: %.2f us, were %.2f"):format(
            what, many, few))
    end

    it("costs a decision of five microseconds at most, without a signature",
        function()
            assert.is_true(says_sold_out(one))
            local requests = {
                floor = { function()
                    return "GET /floor HTTP/1.1\r\nHost: a\r\n\r\n"
                end, edge.port + 1 },
                refused = { one },
            }
            local cost
            for _ = 1, TRIES do
                cost = least(requests, COUNT, cost)
                if cost.refused - cost.floor <= DECISION_US then
                    break
                end
            end
            tell("a refusal %.2f us, nginx's own return %.2f", cost.refused,
                cost.floor)
            assert.is_true(cost.refused - cost.floor <= DECISION_US,
                ("%.2f us, of which %.2f are nginx's"):format(cost.refused,
                cost.floor))
        end)

    -- An attempt of a user whom no worker has seen, with a token that is good.
    local newcomers = 0
    local function newcomer(product)
        newcomers = newcomers + 1
        return attempt(product, edge.token("newcomer" .. newcomers))
    end

    -- A sale of no quota, for which tokens are verified before it refuses.
    local function used_up(product)
        edge.sale(product, { sold_out = 0 }, 0)
        assert.is_true(edge.within(2, function()
            return edge.buy(product, edge.stranger()) == 429
        end))
        return product
    end

    it("costs at most 1.5 times what nginx's limit_req takes to refuse without"
            .. " a token, and 3 times with a new token each", function()
        local product = used_up(product_of(2))
        local requests = {
            native = { function()
                return "GET /limited HTTP/1.1\r\nHost: a\r\n\r\n"
            end, edge.port + 1 },
            without = { one },
            new = { function()
                return newcomer(product)
            end },
        }
        local verified = edge.status().decisions.TOO_MANY_REQUESTS
        local cost
        for _ = 1, TRIES do
            cost = least(requests, COUNT, cost)
            if cost.without <= cost.native * OF_LIMIT_REQ
                    and cost.new <= cost.native * OF_LIMIT_REQ_NEW then
                break
            end
        end
        tell("limit_req refuses in %.2f us; without a token %.2f, with a new"
            .. " one each %.2f", cost.native, cost.without, cost.new)
        assert.is_true(edge.status().decisions.TOO_MANY_REQUESTS - verified
            >= ROUNDS * COUNT)
        is_flat(cost.native, cost.without, OF_LIMIT_REQ, "without a token")
        is_flat(cost.native, cost.new, OF_LIMIT_REQ_NEW, "with a new token")
    end)

    it("costs at most twice as much of one of 10,000 products, and 2.5 times of"
            .. " each in turn", function()
        local few = least({ one = { one } }).one
        for from = 0, PRODUCTS - 1, 1000 do
            local list = {}
            for i = from, from + 999 do
                list[#list + 1] = product_of(i)
            end
            edge.sales(list, { sold_out = 1 })
        end
        edge.sleep(2)  -- all were read once more
        assert.is_true(says_sold_out(each))
        local many
        for _ = 1, TRIES do
            many = least({ one = { one }, each = { each } }, PRODUCTS, many)
            if many.one <= few * FLAT and many.each <= few * IN_TURN then
                break
            end
        end
        tell("a refusal of 1 product %.2f us; of 10,000: of one of them %.2f,"
            .. " of each in turn %.2f", few, many.one, many.each)
        is_flat(few, many.one, FLAT, "one of 10,000 products")
        is_flat(few, many.each, IN_TURN, "each of 10,000 products")
    end)

    it("costs at most 2.5 times as much of 1,000,000 users as of 1,000 that it"
            .. " remembers", function()
        local function of_user(i)
            return attempt(product_of(0), token_of(i))
        end
        assert.is_true(says_sold_out(of_user))
        local few = least({ users = { function(i)
            return of_user(i % FEW_USERS)
        end } }).users
        local many = measure(of_user, MANY_USERS)
        tell("a refusal of 1,000 users %.2f us, of 1,000,000 users %.2f", few,
            many)
        is_flat(few, many, IN_TURN, "1,000,000 users")
    end)

    it("remembers so many tokens and no more", function()
        local product = used_up(product_of(1))
        local note = ("n"):rep(500)
        local function with_good_token(i)
            return attempt(product, edge.token("user" .. i,
                { note = note }))
        end
        local function memory_kb()
            return tonumber(edge.sh("cat /proc/%s/status", worker)
                :match("VmRSS:%s*(%d+)"))
        end
        measure(with_good_token, TOKENS)
        local before = memory_kb()
        measure(function(i)
            return with_good_token(TOKENS + i)
        end, MORE_TOKENS)
        local grown = memory_kb() - before
        tell("%d kB of a worker, %d more after %d more tokens", before, grown,
            MORE_TOKENS)
        assert.is_true(grown < GROWTH_KB, grown .. " kB")
    end)
end)
