-- The main road: every route of the public listener, once and refused.

local edge = require "edge"

describe("the edge", function()
    local SN = "123456789012345678901234"

    setup(function()
        edge.start()
        edge.start_redis()
        edge.sale("518", { name = "Démo \"phone\"" })
        edge.sale("519", { sold_out = 1 })
        edge.sale("529", { synthetic = 1 })
        edge.sale("520", { start_at_ms = edge.now_ms() + 60000 })
        edge.sale("521", { end_at_ms = edge.now_ms() - 500 })
        edge.sale("522", { per_user_limit = 2 })
        edge.sale("523", { path = "on" })
    end)
    teardown(edge.stop)

    local function attempt(query, options)
        options = options or { user = "alice" }
        return edge.http("POST", "/seckill/flash/sale/deduct" .. query,
            options)
    end

    local function refused(status, code, got, headers, body)
        assert.equal(status, got)
        assert.equal(code, body.code)
        assert.is_string(body.message)
        assert.is_number(body.retryAfterMs)
        assert.equal("application/problem+json", headers["content-type"])
        assert.equal("no-store", headers["cache-control"])
        assert.equal(body.retryAfterMs > 0, headers["retry-after"] ~= nil)
    end

    it("passes an attempt on and hands back the answer", function()
        local status, headers, body = attempt "?productId=518"
        assert.equal(202, status)
        assert.equal("ACCEPTED", body.code)
        assert.is_nil(headers["x-seckill-code"])
    end)

    it("refuses with the table's answers and asks no service", function()
        edge.seen()
        refused(400, "BAD_REQUEST", attempt "")
        refused(400, "BAD_REQUEST", attempt "?productId=0")
        refused(401, "UNAUTHENTICATED", attempt("?productId=518", {}))
        refused(404, "NO_SUCH_SALE", attempt "?productId=999")
        refused(409, "SOLD_OUT", attempt "?productId=519")
        refused(409, "NOT_STARTED", attempt "?productId=520")
        refused(410, "ENDED", attempt "?productId=521")
        refused(403, "FORBIDDEN", attempt "?productId=523")
        refused(404, "NOT_FOUND", edge.buy("518", "alice", "1-ab"))
        refused(405, "METHOD_NOT_ALLOWED", edge.http("GET",
            "/seckill/flash/sale/deduct?productId=518", { user = "a" }))
        refused(404, "NOT_FOUND", edge.http("GET", "/actuator/health"))
        refused(404, "NOT_FOUND", edge.http("POST", "/admin/sales"))
        refused(404, "NO_SUCH_ORDER", edge.http("GET",
            "/seckill/orders/12", { user = "alice" }))
        refused(401, "UNAUTHENTICATED", edge.http("GET", "/seckill/orders"))
        assert.equal(0, edge.seen())
    end)

    it("names the parameter that is wrong", function()
        local _, _, body = attempt "?productId=518&quantity=0"
        assert.matches("quantity", body.message, 1, true)
        _, _, body = attempt "?productId=518&quantity=2"
        assert.matches("quantity: at most 1", body.message, 1, true)
        assert.equal(202, (attempt "?productId=522&quantity=2"))
    end)

    it("says how long until a sale starts", function()
        local _, headers, body = attempt "?productId=520"
        assert.is_true(body.retryAfterMs > 50000
            and body.retryAfterMs <= 60500)
        assert.equal(math.ceil(body.retryAfterMs / 1000),
            tonumber(headers["retry-after"]))
    end)

    it("is open at the start for who came back as told", function()
        edge.sale("524", { start_at_ms = edge.now_ms() + 1200 })
        local status, _, body = attempt "?productId=524"
        assert.equal(409, status)
        assert.is_true(body.retryAfterMs <= 1700)
        edge.sh("sleep %.3f", body.retryAfterMs / 1000)
        assert.equal(202, (attempt "?productId=524"))
        edge.redis("srem seckill:sales 524")
    end)

    it("counts every decision by its code", function()
        local before = edge.status().decisions
        refused(404, "NO_SUCH_SALE", attempt "?productId=998")
        refused(400, "BAD_REQUEST", attempt "?productId=")
        assert.equal(202, (edge.buy("518", edge.stranger())))
        local after = edge.status().decisions
        local function grown(code)
            return after[code] - before[code]
        end
        assert.equal(1, grown "NO_SUCH_SALE")
        assert.equal(1, grown "BAD_REQUEST")
        assert.equal(1, grown "PASSED")
        assert.equal(1, grown "ACCEPTED")
        assert.equal(0, grown "GIVEN_BACK")
        assert.equal(0, grown "SOLD_OUT")
    end)

    it("passes results, orders and payments on to their service", function()
        local function echoed(method, path, product)
            local status, _, got = edge.http(method, path .. "?productId=518",
                { user = "echo" })
            assert.equal(200, status)
            assert.equal(method, got.method)
            assert.equal(path, got.uri)
            assert.equal("echo", got.headers["x-seckill-user"])
            assert.equal(product, got.headers["x-seckill-product"])
        end
        echoed("GET", "/seckill/flash/sale/result", "518")
        echoed("GET", "/seckill/orders")
        echoed("GET", "/seckill/orders/" .. SN)
        echoed("POST", "/seckill/orders/" .. SN .. "/pay")
    end)

    it("passes on which page of the orders is asked for, once checked",
        function()
            local place = "1763800000000-" .. SN
            local status, _, got = edge.http("GET",
                "/seckill/orders?userId=eve&before=" .. place .. "&limit=%32",
                { user = "echo" })
            assert.equal(200, status)
            assert.equal("/seckill/orders?limit=2&before=" .. place, got.uri)
            refused(400, "BAD_REQUEST", edge.http("GET",
                "/seckill/orders?limit=101", { user = "echo" }))
            refused(401, "UNAUTHENTICATED", edge.http("GET",
                "/seckill/orders?limit=101"))
        end)

    it("tells the public facts of a sale, never its stock", function()
        local status, _, sale = edge.http("GET", "/seckill/sales/518")
        assert.equal(200, status)
        assert.equal("518", sale.productId)
        assert.equal("Démo \"phone\"", sale.name)
        assert.equal(9900, sale.priceCents)
        assert.equal(false, sale.soldOut)
        assert.equal("off", sale.path)
        for _, time in ipairs { "startAt", "endAt", "serverTime" } do
            assert.matches("^%d+%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ$",
                sale[time])
        end
        assert.is_nil(sale.stockTotal)
    end)

    it("lists the sales and knows which are sold out", function()
        local status, _, list = edge.http("GET", "/seckill/sales")
        assert.equal(200, status)
        assert.is_string(list.serverTime)
        local sold_out = {}
        for _, sale in ipairs(list.sales) do
            sold_out[sale.productId] = sale.soldOut
            assert.is_nil(sale.stockTotal)
        end
        assert.equal(false, sold_out["518"])
        assert.equal(true, sold_out["519"])
        assert.equal(false, sold_out["523"])
        refused(404, "NO_SUCH_SALE", edge.http("GET", "/seckill/sales/7"))
        refused(400, "BAD_REQUEST", edge.http("GET", "/seckill/sales/x"))
        refused(405, "METHOD_NOT_ALLOWED", edge.http("POST",
            "/seckill/sales"))
    end)

    it("lists no synthetic sale, which those sell who know its id", function()
        local _, _, list = edge.http("GET", "/seckill/sales")
        for _, sale in ipairs(list.sales) do
            assert.not_equal("529", sale.productId)
        end
        assert.equal(200, (edge.http("GET", "/seckill/sales/529")))
        assert.equal(202, (edge.buy("529", edge.stranger())))
    end)

    it("serves the page and its parts under a strict policy", function()
        for path, kind in pairs { ["/"] = "text/html",
                ["/shop.js"] = "text/javascript",
                ["/shop.css"] = "text/css" } do
            local status, headers = edge.http("GET", path)
            assert.equal(200, status)
            assert.equal(kind .. "; charset=utf-8", headers["content-type"])
            assert.matches("default-src 'none'",
                headers["content-security-policy"], 1, true)
            assert.equal("nosniff", headers["x-content-type-options"])
        end
        assert.equal(405, (edge.http("POST", "/")))
    end)

    it("serves the document of its interface", function()
        local status, headers, text = edge.http("GET", "/openapi.yaml")
        assert.equal(200, status)
        assert.equal("application/yaml", headers["content-type"])
        assert.matches("^openapi: 3", text)
        assert.equal(405, (edge.http("POST", "/openapi.yaml")))
    end)

    it("is healthy once the control Redis was read", function()
        local status, _, body = edge.http("GET", "/health",
            { base = edge.internal })
        assert.equal(200, status)
        assert.equal("UP", body.status)
    end)
end)
