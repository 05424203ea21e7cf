# What each part is: how it starts, when it is healthy, what is done once it is.
# shellcheck shell=bash

source "$LIB/process.sh"
source "$LIB/redis.sh"
source "$LIB/mariadb.sh"
source "$LIB/rocketmq.sh"
source "$LIB/services.sh"
source "$LIB/edge.sh"

START_LIMIT_S=120 # from launch to healthy, on a machine that is busy with other things too
STARTED=()       # parts this command launched: stopped again when it fails

# start_part PART [FLAG...]: flags of its JVM, for a service.
start_part() {
  local part=$1
  [[ $(pid_of "$part") == '' ]] || return 0
  step "starting $part on port $(port_of "$part")"
  STARTED+=("$part")
  case $part in
    control | shard-*) start_redis "$part" ;;
    mariadb) start_mariadb ;;
    namesrv) start_namesrv ;;
    broker) start_broker ;;
    stock | flash-sale | order) start_service "$@" ;;
    edge) start_edge ;;
  esac
}

healthy() {
  pid_of "$1" >/dev/null || return 1
  case $1 in
    control | shard-*) redis_healthy "$1" ;;
    mariadb) mariadb_healthy ;;
    namesrv | broker) rocketmq_healthy "$(port_of "$1")" ;;
    stock | flash-sale | order) http_healthy "$(port_of "$1")/actuator/health" ;;
    edge) http_healthy "$EDGE_INTERNAL_PORT/health" ;;
  esac
}

any_running() {
  local part
  for part in $(parts); do ! pid_of "$part" >/dev/null || return 0; done
  return 1
}

http_healthy() { curl -q --noproxy '*' -sf -o /dev/null --max-time 2 "http://127.0.0.1:$1"; }

# Waits until the parts are healthy; gives up at once on one that died.
await_parts() {
  local part deadline=$((SECONDS + START_LIMIT_S))
  for part in "$@"; do
    until healthy "$part"; do
      pid_of "$part" >/dev/null || part_failed "$part" "died while it started"
      ((SECONDS < deadline)) || part_failed "$part" "is not healthy after $START_LIMIT_S s"
      sleep 0.2
    done
    [[ $part != mariadb ]] || prepare_database
  done
}

part_failed() {
  local log
  log=$(log_of "$1")
  tail -n 5 "$log" 2>/dev/null | cut -c1-300 >&2 || true
  die "$1 (port $(port_of "$1")) $2; read $log, mend it, run ./seckill up again"
}

# Before anything starts: the ports of the parts that do not run must be free, once what a killed part
# left behind is gone.
refuse_taken_ports() {
  local part port
  for part in "$@"; do
    ! pid_of "$part" >/dev/null || continue
    kill_rest "$part"
    for port in $(ports_of "$part"); do
      ! port_open "$port" ||
        die "port $port of $part is taken$(owner_of_port "$port"); stop that or set another SECKILL_PORT"
    done
  done
}

# Who calls stops before who is called.
STOP_WAVES=('edge' 'flash-sale|order' 'stock' 'broker' 'namesrv|mariadb|control|shard-.*')

SERVICE_STOP_S=15 # more while they are trained: what they have learnt is written at the end

stop_seconds() { # services finish what they hold; the broker writes its store
  case $1 in
    broker) echo 20 ;;
    stock | flash-sale | order) echo "$SERVICE_STOP_S" ;;
    *) echo 15 ;;
  esac
}

# Stops the parts of one wave side by side; those that do not run cost nothing.
stop_parts() {
  local part jobs=()
  for part in "$@"; do
    ! pid_of "$part" >/dev/null || step "stopping $part"
    stop_part "$part" "$(stop_seconds "$part")" &
    jobs+=($!)
  done
  # Those jobs only: the parts that `up` launched are children too.
  ((${#jobs[@]} == 0)) || wait "${jobs[@]}"
}

stop_started() {
  ((${#STARTED[@]})) || return 0
  warn "stopping again what this command started: ${STARTED[*]}"
  local wave part
  for wave in "${STOP_WAVES[@]}"; do
    # shellcheck disable=SC2046 # one word per part
    stop_parts $(printf '%s\n' "${STARTED[@]}" | grep -xE "$wave" || true)
  done
}
