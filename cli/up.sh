#: usage: ./seckill up [--shards N]
#: installs what is missing, builds, starts every part, makes the demo sale
#:
#: Starts a private copy of all parts on 127.0.0.1 with its data in SECKILL_HOME (default .run), ports
#: from SECKILL_PORT on (default 8080; up to 31 above it are used). Does only what is missing: a second
#: `up` changes nothing, an `up` after a crash or a reboot starts again what died. A running part keeps
#: the build it was started with; ./seckill restart PART takes the new one. The first `up` of a build starts
#: the services twice (a JDK of 25 or newer learns from it), half a minute; each later start takes half as long.
#:
#:   --shards N   Redis shards, 1 to 16, default 3; fixed for the life of the data
#:
#: SECKILL_JAVA_OPTS is added to every JVM's flags.
# shellcheck shell=bash

source "$LIB/jdk.sh"
source "$LIB/secrets.sh"
source "$LIB/parts.sh"
source "$LIB/build.sh"
source "$LIB/install.sh"
source "$LIB/demo.sh"

MIN_FREE_MB=1024 # commit log, AOFs and redo log of a long demo stay below it

verb_up() {
  local shards=
  while (($#)); do
    case $1 in
      --shards) need_value "$1" $#; need_number "$1" "$2" 1 "$MAX_SHARDS"; shards=$2; shift 2 ;;
      *) misuse "unknown word '$1'" ;;
    esac
  done
  refuse_foreign_home
  refuse_other_layout
  refuse_odd_paths
  find_jdk
  lock_copy
  need_disk
  settle "${shards:-$SHARDS}"
  install_missing "$NEEDED$(needed_by_edge)"
  build_if_stale
  undo_at_exit stop_started
  # shellcheck disable=SC2046 # one word per part
  refuse_taken_ports $(parts)
  start_all
  make_demo_sale || die "stock did not make the demo sale; read $(log_of stock)"
  undo_at_exit :
  if ((${#STARTED[@]})); then step "all parts are healthy"; else step "everything was up already"; fi
  print_shop
}

# Disk first: a database on a full disk dies in the middle with a riddle.
need_disk() {
  local free
  free=$(df -Pm "$HOME_DIR" | awk 'NR == 2 { print $4 }')
  ((free < MIN_FREE_MB)) || return 0
  rmdir --ignore-fail-on-non-empty "$HOME_DIR"
  die "disk: $HOME_DIR has $free MB free, $MIN_FREE_MB MB are needed; make room or set SECKILL_HOME to another disk"
}

# Number of shards and ports belong to the copy: sales are allocated over N shards.
settle() {
  if copy_exists && [[ $1 != "$SHARDS" ]]; then
    die "this copy's sales are allocated over $SHARDS shards, not $1; ./seckill down --wipe first (deletes its data)"
  fi
  local known
  known=$(remembered port)
  if [[ -n $known && $known != "$PORT" ]] && any_running; then
    die "this copy runs on port $known, not $PORT; ./seckill down first"
  fi
  [[ $known == "$PORT" ]] || rm -f "$(folder_of mariadb)/client.cnf" # holds the port
  SHARDS=$1
  remember
  make_secrets
}

# Waves: stores and queue, then what works on them. The services start side by side, for each starts on
# one core mostly; order-service waits for the tables that stock-service brings up to date.
start_all() {
  local stores
  stores=$(parts | grep -E '^(control|shard-.*|mariadb)$')
  # shellcheck disable=SC2086 # one word per part
  start_parts namesrv $stores
  await_parts namesrv
  start_parts broker
  # shellcheck disable=SC2086
  await_parts $stores broker
  train_services
  start_parts stock flash-sale order edge
  await_parts stock flash-sale order edge
}

start_parts() {
  local part
  for part in "$@"; do start_part "$part"; done
}
