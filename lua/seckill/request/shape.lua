-- The shape of a request before any of it is believed: one that no client of
-- ours has, and that others may read in another way, ends here.

local base = require "resty.core.base"
local counters = require "seckill.counters"
local ffi = require "ffi"
require "resty.core.request"  -- declares the function below

local C = ffi.C
local req = ngx.req
local var = ngx.var

local MAX_HEADERS = 100

local has_more = ffi.new("int[1]")

local _M = {}

-- nil, or what is wrong with the address of a request line.
function _M.address_fault(line)
    if not line:find("^%S+ +/") then
        return "the address must begin with /"
    end
end

-- nil, or what is wrong with the headers. They are counted without making a
-- table of them, which cost 3 us.
function _M.headers_fault()
    C.ngx_http_lua_ffi_req_get_headers_count(base.get_request(), MAX_HEADERS,
        has_more)
    if has_more[0] ~= 0 then
        return "more than " .. MAX_HEADERS .. " headers"
    end
end

-- nil, or what is wrong with a body: of a HEAD nobody reads it here, and others
-- may take it for the next request.
local function body_fault()
    if req.get_method() == "HEAD" and (var.http_transfer_encoding
            or (var.http_content_length or "0") ~= "0") then
        return "HEAD has no body"
    end
end

-- Is it HTTP/0.9, whose answers have no status line? Then it is counted, and
-- to be cut off. Never so where the method is not GET.
function _M.is_cut_off()
    if req.http_version() < 1 then
        counters.count("broken")
        return true
    end
    return false
end

-- Called by every other phase file first, and no phase of its own: a phase
-- more costs a request a tenth of its CPU. Does not return when it refuses.
-- refuse(code, fields): the caller's way to do so.
function _M.check(refuse)
    if _M.is_cut_off() then
        return ngx.exit(444)
    end
    local fault = _M.address_fault(var.request) or _M.headers_fault()
        or body_fault()
    if fault then
        return refuse("BAD_REQUEST", { message = fault })
    end
end

return _M
