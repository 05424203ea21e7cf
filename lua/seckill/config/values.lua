-- One value of the control Redis at a time: checked, and put into the shared
-- dict. Whatever is wrong leaves the last good value in force and is logged
-- once per change.
--
-- A limit that is not there is the default only where seckill:limits:kept is
-- there as well, before and after it was looked for: without that key, or with
-- another text in it, Redis has lost its data meanwhile, and what is missing
-- says nothing. stock-service puts lost limits back, and the key after them.
--
-- In seckill_config:
-- limit:NAME, sale:PRODUCT    the last good values
--
-- In seckill_state:
-- version    changes taken over

local complaints = require "seckill.config.complaints"
local forced = require "seckill.forced"
local limits = require "seckill.config.limits"
local node = require "seckill.config.node"
local redis = require "seckill.config.redis"
local redis_keys = require "seckill.config.redis_keys"
local sales = require "seckill.sale.sale"

local config = ngx.shared.seckill_config
local log = ngx.log

local be_content = complaints.be_content
local complain = complaints.complain

local READ = { unpack(sales.FIELDS) }
READ[#READ + 1] = sales.VERSION

local _M = {}

function _M.put(key, value)
    if config:get(key) == value then
        return
    end
    local ok, err = config:safe_set(key, value)
    if not ok then
        log(ngx.ERR, "no room for ", key, ": ", err,
            "; enlarge seckill_config in nginx.conf.template")
    end
    forced.incr("seckill_state", "version", 1, 0)
end

-- replies: of a pipeline that begins and ends with GET of the key.
function _M.are_kept(replies)
    local kept = replies[1]
    return type(kept) == "string" and kept == replies[#replies]
end

-- reply: of HMGET, at: which of its fields; the first is false when the key
-- has the wrong type.
function _M.learn_limit(name, row, reply, at, is_kept)
    local written = reply[1] and reply[at]
    if written == ngx.null then
        if not is_kept then
            return
        end
        written = nil
    end
    local value = limits.read(row, written)
    if value then
        be_content(name)
    else
        value = config:get("limit:" .. name) or row.default
        complain(name, written, value .. " stays in force")
    end
    _M.put("limit:" .. name, value)
end

function _M.ask_sale(client, product)
    client:hmget(redis_keys.SALE .. product, unpack(READ))
end

-- Are these the values that were checked and taken over before? A packed sale
-- has one line feed per value, so no others make the same text.
local function is_in_force(product, values)
    for i = 1, #READ do
        if type(values[i]) ~= "string" then
            return false
        end
    end
    return config:get("sale:" .. product) == sales.pack(values)
end

-- values: the reply of HMGET. Nearly all are as they were, and to check one
-- costs half as much as to read it.
function _M.learn_sale(product, values)
    local name = redis_keys.SALE .. product
    values[#READ] = sales.version(values[#READ])
    if is_in_force(product, values) then
        return be_content(name)
    end
    local sale, field = sales.parse(values)
    if sale and sale.product == product then
        be_content(name)
        _M.put("sale:" .. product, sales.pack(values))
    else
        complain(name, "this " .. (field or "product_id"),
            "the sale stays as it was")
    end
end

-- Reads sales and limits of these products; each(product, values) may tell
-- that one is passed over, by false. true, or nil and why not.
function _M.read(client, products, each)
    local replies, err = redis.pipeline(client, function()
        client:get(redis_keys.LIMITS_KEPT)
        for _, product in ipairs(products) do
            _M.ask_sale(client, product)
            client:hmget(redis_keys.PRODUCT_LIMITS .. product, "qps")
        end
        client:get(redis_keys.LIMITS_KEPT)
    end)
    if not replies then
        return nil, err
    end
    local is_kept = _M.are_kept(replies)
    for i, product in ipairs(products) do
        local values = replies[2 * i]
        if each(product, values) then
            _M.learn_limit(product .. ".qps", node.limits.qps,
                replies[2 * i + 1], 1, is_kept)
            _M.learn_sale(product, values)
        end
    end
    return true
end

return _M
