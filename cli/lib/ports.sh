# The one place for ports and the list of parts. P = SECKILL_PORT; everything follows from it.
# shellcheck shell=bash disable=SC2034 # read by those that source this

PORT=${SECKILL_PORT:-$(remembered port)}
PORT=${PORT:-8080}
if [[ ! $PORT =~ ^[1-9][0-9]{3,4}$ ]] || ((PORT < 1024 || PORT > 65500)); then
  die "SECKILL_PORT '$PORT' is not a port from 1024 to 65500"
fi
SHARDS=$(remembered shards)
SHARDS=${SHARDS:-3}
MAX_SHARDS=16

# edge P, then: | shards 0 … 7 P+10 … P+17 | broker P+20 also opens P+18, `faults` P+21 and P+22 | shards 8 … 15 P+24 … P+31
FLASH_SALE_PORT=$((PORT + 1))
ORDER_PORT=$((PORT + 2))
STOCK_PORT=$((PORT + 3))
CONTROL_PORT=$((PORT + 4))
MARIADB_PORT=$((PORT + 5))
NAMESRV_PORT=$((PORT + 6))
EDGE_INTERNAL_PORT=$((PORT + 7))
BROKER_FAST_PORT=$((PORT + 18))
BROKER_PORT=$((PORT + 20))

# Where the verbs find those they talk to; elsewhere when the verb runs in a container beside them.
EDGE_AT=${SECKILL_EDGE_AT:-127.0.0.1:$PORT}
STOCK_AT=${SECKILL_STOCK_AT:-127.0.0.1:$STOCK_PORT}
CONTROL_AT=${SECKILL_CONTROL_AT:-127.0.0.1:$CONTROL_PORT}
# What an operator types there.
TO_START='./seckill up' TO_SEE='./seckill status'
[[ -z ${SECKILL_IN_CONTAINER:-} ]] || TO_START='docker compose up -d' TO_SEE='./seckill --compose status'

# Every part, in an order in which they may start; reversed, in which they may stop.
parts() {
  local i
  printf '%s\n' control
  for ((i = 0; i < SHARDS; i++)); do echo "shard-$i"; done
  printf '%s\n' mariadb namesrv broker stock flash-sale order edge
}

port_of() {
  case $1 in
    control) echo "$CONTROL_PORT" ;;
    shard-*) shard_port "${1#shard-}" ;;
    mariadb) echo "$MARIADB_PORT" ;;
    namesrv) echo "$NAMESRV_PORT" ;;
    broker) echo "$BROKER_PORT" ;;
    stock) echo "$STOCK_PORT" ;;
    flash-sale) echo "$FLASH_SALE_PORT" ;;
    order) echo "$ORDER_PORT" ;;
    edge) echo "$PORT" ;;
  esac
}

# shard_port NUMBER: the broker's ports lie between the first eight and the others.
shard_port() { echo $((PORT + ($1 < 8 ? 10 : 16) + $1)); }

# All ports a part listens on, its main one first.
ports_of() {
  port_of "$1"
  case $1 in
    edge) echo "$EDGE_INTERNAL_PORT" ;;
    broker) echo "$BROKER_FAST_PORT" ;;
  esac
}

shard_addresses() {
  local i list=
  for ((i = 0; i < SHARDS; i++)); do list+=,redis://127.0.0.1:$(shard_port "$i"); done
  echo "${list#,}"
}

need_part() {
  local part
  for part in $(parts); do # no `grep -q`: it leaves at its word and breaks the pipe of the one that still lists
    [[ $part != "$1" ]] || return 0
  done
  misuse "unknown part '$1'; parts: $(parts | tr '\n' ' ')"
}
