-- Every counter of this node and how full it is, as Prometheus text.

local backlog = require "seckill.backlog"
local counters = require "seckill.counters"
local forced = require "seckill.forced"
local redis = require "seckill.config.redis"
local share = require "seckill.limit.share"
local tops = require "seckill.tops"

local state = ngx.shared.seckill_state

local list = tops.list()

counters.count(counters.served.internal)  -- itself, which nginx has counted
local requests = tonumber(ngx.location.capture("/nginx-status").body
    :match("\n%s*%d+%s+%d+%s+(%d+)"))
local lines = {}
local sums = counters.print(lines, requests)

counters.print_gauge(lines, "seckill_in_flight",
    "attempts that passed and are not answered", nil, { { nil, math.max(0,
        sums.seckill_passed_total - sums.seckill_answered_total) } })
counters.print_gauge(lines, "seckill_config_version",
    "changes of limits and sales taken over", nil,
    { { nil, state:get("version") or 0 } })
counters.print_gauge(lines, "seckill_config_errors",
    "limits and sales refused", nil, { { nil, state:get("errors") or 0 } })
counters.print_gauge(lines, "seckill_control_redis_up",
    "1 when the control Redis could be read last time", nil,
    { { nil, state:get("away") and 0 or 1 } })
counters.print_gauge(lines, "seckill_control_redis_call_ms",
    "milliseconds of the longest call of the control Redis in some seconds;"
    .. " all are made in the background", nil,
    { { nil, redis.longest_ms() or 0 } })
counters.print_gauge(lines, "seckill_limits_lost",
    "1 while the control Redis has lost the limits, which stay as they were",
    nil, { { nil, state:get("lost") and 1 or 0 } })

local limit, nodes = share.known()
counters.print_gauge(lines, "seckill_share_known",
    "1 while this node has a share of edge.global_qps", nil,
    { { nil, limit and 1 or 0 } })
counters.print_gauge(lines, "seckill_share_per_second",
    "attempts that this node may pass in this second, of those that all may",
    nil, { { nil, limit or 0 } })
counters.print_gauge(lines, "seckill_nodes_known",
    "edge nodes that share edge.global_qps, as this one has heard last", nil,
    { { nil, nodes } })

local wait_ms, passing = backlog.known()
counters.print_gauge(lines, "seckill_backlog_known",
    "1 while it is known how long orders wait", nil,
    { { nil, wait_ms and 1 or 0 } })
counters.print_gauge(lines, "seckill_backlog_wait_ms",
    "in how many milliseconds orders that wait now will be written, 0 when"
    .. " it is not known", nil, { { nil, wait_ms or 0 } })
counters.print_gauge(lines, "seckill_backlog_share_permille",
    "first attempts that may pass of a thousand that nothing else refuses",
    nil, { { nil, math.floor(passing * 1000 + 0.5) } })

local rows = tops.rows(list, sums.seckill_refused_total
    + sums.seckill_held_back_total, sums.seckill_passed_total)
counters.print_gauge(lines, "seckill_top_refused",
    "attempts refused or held back for the products with most attempts; the"
    .. " others are one, so which products these are may change", "product",
    rows.refused)
counters.print_gauge(lines, "seckill_top_passed",
    "attempts handed to the next hop for these products", "product",
    rows.passed)
counters.print_gauge(lines, "seckill_lease_tokens",
    "leased tokens at hand for these products", "product", rows.tokens)
counters.print_gauge(lines, "seckill_lease_age_ms",
    "milliseconds since the last lease for these products", "product",
    rows.ages)

-- A worker whose timer has stopped has no row: 0 would be the best value.
local late = {}
for worker = 0, ngx.worker.count() - 1 do
    local late_ms = state:get("late_ms:" .. worker)
    if late_ms then
        late[#late + 1] = { worker, late_ms }
    end
end
counters.print_gauge(lines, "seckill_timer_late_ms",
    "milliseconds by which a worker's timer came late at most in a second",
    "worker", late)

counters.print_gauge(lines, "seckill_dict_forced_evictions",
    "entries that were still good when a full shared dict pushed them out,"
    .. " since the start", "dict", forced.rows())

local free, size = {}, {}
for name, dict in pairs(ngx.shared) do
    free[#free + 1] = { name, dict:free_space() }
    size[#size + 1] = { name, dict:capacity() }
end
counters.print_gauge(lines, "seckill_dict_free_bytes",
    "bytes in wholly free pages of a shared dict", "dict", free)
counters.print_gauge(lines, "seckill_dict_bytes", "size of a shared dict",
    "dict", size)

ngx.header.content_type = "text/plain; version=0.0.4"
ngx.print(table.concat(lines, "\n"), "\n")
