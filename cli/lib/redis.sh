# The control Redis and the shards: redis-server with a conf of our own in the part's folder.
# shellcheck shell=bash

# Keys of the control Redis that an operator may change, as contracts/README.md has them.
# shellcheck disable=SC2034 # the verbs read them
SALES_KEY=seckill:sales LIMITS_KEY=seckill:limits LIMITS_KEPT_KEY=seckill:limits:kept
PRODUCT_LIMITS_KEY=seckill:limits:product:

start_redis() {
  mkdir -p "$(folder_of "$1")"
  redis_conf "$1" >"$(folder_of "$1")/redis.conf"
  launch "$1" redis-server "$(folder_of "$1")/redis.conf"
}

# A shard fsyncs before it answers: a unit that a buyer was promised survives kill -9 and power loss
# (everysec lost acknowledged writes when the disk stalled). The control Redis holds what can be
# rebuilt or asked again, so a second of it may go. No password on loopback: operators use redis-cli by hand.
redis_conf() {
  cat <<CONF
include "$REPO/redis/redis.conf"
bind 127.0.0.1
port $(port_of "$1")
dir "$(folder_of "$1")"
daemonize no
logfile ""
CONF
  [[ $1 == control ]] || echo 'appendfsync always'
}

redis_healthy() { [[ $(timeout 2 redis-cli -p "$(port_of "$1")" ping 2>/dev/null) == PONG ]]; }

control_redis() { timeout 5 redis-cli -h "${CONTROL_AT%:*}" -p "${CONTROL_AT##*:}" "$@"; }
