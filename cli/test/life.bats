#!/usr/bin/env bats
# The life cycle on a running copy (SECKILL_HOME, SECKILL_PORT; ./seckill test starts it).

bats_require_minimum_version 1.8.0
load second_try

setup() {
  second_try
  REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  SECKILL=$REPO/seckill
  [ -f "$SECKILL_HOME/.seckill" ]
  SHARD_PORT=$((SECKILL_PORT + 11))
}

# Whatever a test broke is mended for the next one.
teardown() { "$SECKILL" up >/dev/null; }

pids() { (cd "$SECKILL_HOME" && grep -H . ./*/pid); }
pid() { cat "$SECKILL_HOME/$1/pid"; }

# Kills, and waits until the process is gone.
slay() {
  local victim
  victim=$(pid "$1")
  kill -9 "$victim"
  while [[ -e /proc/$victim/cwd ]]; do sleep 0.05; done
}

@test "a second up is a no-op within 5 s" {
  local before start=$SECONDS
  before=$(pids)
  run -0 "$SECKILL" up
  ((SECONDS - start < 5))
  [ "$(pids)" = "$before" ]
  [[ $output == *"http://127.0.0.1:$SECKILL_PORT/#token="* ]]
}

@test "two ups at once start nothing twice" {
  slay shard-1
  "$SECKILL" up >"$BATS_TEST_TMPDIR/first" 3>&- &
  run -0 "$SECKILL" up
  wait $!
  [ "$(cat "$BATS_TEST_TMPDIR/first" - <<<"$output" | grep -c 'starting shard-1')" -eq 1 ]
}

@test "up restarts a killed shard with what it had acknowledged" {
  redis-cli -p "$SHARD_PORT" set kept yes
  slay shard-1
  run -1 "$SECKILL" status
  [[ $output =~ shard-1\ +-\ +$SHARD_PORT\ +no ]]
  run -0 "$SECKILL" up
  [ "$(redis-cli -p "$SHARD_PORT" getdel kept)" = yes ]
}

@test "up restarts a shard whose last write was cut by a crash" {
  redis-cli -p "$SHARD_PORT" set kept yes
  slay shard-1
  # shellcheck disable=SC2016 # the lengths of the protocol
  printf '*3\r\n$3\r\nSET\r\n$4\r\nha' >>"$(find "$SECKILL_HOME/shard-1" -name '*.incr.aof' | head -1)"
  run -0 "$SECKILL" up
  [ "$(redis-cli -p "$SHARD_PORT" getdel kept)" = yes ]
}

# listed PATTERN: soon shard list says so.
listed() {
  for _ in {1..40}; do
    ! "$SECKILL" shard list | grep -E "$1" || return 0
    sleep 0.5
  done
  return 1
}

@test "shard list shows each part's epoch and gate, and why a shard is away" {
  listed 'product 518  OPEN  epoch [1-9][0-9]*, gate open for [0-9a-f]{8}'
  slay shard-1
  listed 'shard 1  AWAY  [0-9]+ products, for [0-9]+ s: .*did not do it'
  listed 'product 518  AWAY  epoch [1-9][0-9]*, gate unknown'
}

# Two idle cores need 30 s at most; a machine whose cores are others' too is allowed twice that.
@test "after a kill of every part at once up sells again, and the books balance" {
  local sale=79$((RANDOM + 1)) start
  "$SECKILL" sale create "$sale" --stock 9
  "$SECKILL" buy ann "$sale"
  # shellcheck disable=SC2046 # several
  kill -9 $(cat "$SECKILL_HOME"/*/pid)
  start=$SECONDS
  "$SECKILL" up
  run -0 "$SECKILL" buy bea "$sale"
  echo "# sells again $((SECONDS - start)) s after up (30 s at most; the test fails beyond 60)" >&3
  [ "$(jq -r .status <<<"$output")" = ORDERED ]
  ((SECONDS - start <= 60))
  run -1 "$SECKILL" buy ann "$sale"
  [ "$(jq -r .code <<<"$output")" = ALREADY_BOUGHT ]
  run -0 "$SECKILL" audit "$sale"
  [[ ${lines[-1]} == BALANCED ]]
}

@test "up replaces an edge whose master was killed, although its workers hold the port" {
  slay edge
  run -0 "$SECKILL" up
  curl -sf "http://127.0.0.1:$SECKILL_PORT/seckill/sales/518"
}

@test "restart gives a part a new process and leaves the others alone" {
  local others old
  others=$(pids | grep -v shard-2)
  old=$(pid shard-2)
  run -0 "$SECKILL" restart shard-2
  [ "$(pid shard-2)" != "$old" ]
  [ "$(pids | grep -v shard-2)" = "$others" ]
}

@test "a JVM that can learn starts from what it has learnt, and finds nothing wrong with it" {
  local part java
  java=$(readlink "/proc/$(pid stock)/exe")
  (("$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')" >= 25)) || skip "needs a JDK of 25 or newer"
  for part in stock flash-sale order; do
    grep -qzFx -- '-XX:AOTCache=app/app.aot' "/proc/$(pid "$part")/cmdline"
    grep -q "$(readlink -f "$SECKILL_HOME/$part/app/app.aot")" "/proc/$(pid "$part")/maps"
    run -1 grep -E '^\[.*\]\[(aot|cds)' "$SECKILL_HOME/$part/log"
  done
}

@test "up that is stopped twice still stops all it started" {
  slay broker
  slay stock
  "$SECKILL" up >"$BATS_TEST_TMPDIR/up" 2>&1 3>&- &
  local up=$! code=0
  until grep -q 'starting stock' "$BATS_TEST_TMPDIR/up"; do sleep 0.1; done
  kill -TERM "$up"
  sleep 0.5
  kill -TERM "$up"
  wait "$up" || code=$?
  [ "$code" -eq 130 ]
  grep -q 'stopping broker' "$BATS_TEST_TMPDIR/up"
  [ ! -e "$SECKILL_HOME/broker/pid" ]
  [ ! -e "$SECKILL_HOME/stock/pid" ]
}

@test "a database is made in a folder whose path has a space" {
  local user=()
  ((EUID != 0)) || user=(--user=root)
  # shellcheck disable=SC2016 # for the inner shell
  SECKILL_HOME="$BATS_TEST_TMPDIR/a b" bash -euc '
    REPO=$1 LIB=$1/cli/lib; shift
    source "$LIB/common.sh"; source "$LIB/process.sh"; source "$LIB/mariadb.sh"
    mkdir -p "$(mariadb_dir)"
    install_database "$(mariadb_dir)" "$@"
  ' - "$REPO" "${user[@]}"
  [ -d "$BATS_TEST_TMPDIR/a b/mariadb/data/mysql" ]
}

@test "a part that does not come up is named with its log, and up again mends it" {
  local manifest
  manifest=$(find "$SECKILL_HOME/shard-1" -name '*.manifest')
  slay shard-1
  cp "$manifest" "$BATS_TEST_TMPDIR/manifest"
  echo nonsense >"$manifest"
  run -1 "$SECKILL" up
  cp "$BATS_TEST_TMPDIR/manifest" "$manifest"
  [[ $output == *"shard-1 (port $SHARD_PORT) died"*"$SECKILL_HOME/shard-1/log"* ]]
  [ ! -e "$SECKILL_HOME/shard-1/pid" ]
  run -0 "$SECKILL" up
}

@test "a taken port is named with its part, and nothing was started" {
  local port=$((SECKILL_PORT + 40))
  redis-server --port $((port + 12)) --bind 127.0.0.1 --save '' --dir "$BATS_TEST_TMPDIR" \
    >/dev/null 3>&- &
  local foreign=$!
  until redis-cli -p $((port + 12)) ping; do sleep 0.1; done
  SECKILL_HOME=$BATS_TEST_TMPDIR/other SECKILL_PORT=$port run "$SECKILL" up
  kill "$foreign"
  [ "$status" -eq 1 ]
  [[ $output == *"port $((port + 12)) of shard-2 is taken"* ]]
  [ -z "$(find "$BATS_TEST_TMPDIR/other" -name pid)" ]
}

@test "status shows every part healthy and the whole below 2.5 GB" {
  run -0 "$SECKILL" status
  [ "${#lines[@]}" -eq 13 ]
  [[ ${lines[12]} =~ ^total\ +([0-9]+)$ ]]
  ((BASH_REMATCH[1] > 100 && BASH_REMATCH[1] < 2500))
}

@test "status names a shard that is set so that it could forget units until it is set back" {
  local left=60
  redis-cli -p "$SHARD_PORT" config set maxmemory-policy allkeys-lru
  until run "$SECKILL" status; [ "$status" -eq 1 ]; do ((left-- > 0)); sleep 0.5; done
  redis-cli -p "$SHARD_PORT" config set maxmemory-policy noeviction
  [[ ${lines[-1]} == 'could forget units: shard 1, its maxmemory-policy is allkeys-lru, must be noeviction' ]]
  until run "$SECKILL" status; [ "$status" -eq 0 ]; do ((left-- > 0)); sleep 0.5; done
}

@test "everything that listens does so on loopback" {
  local part listening
  for part in "$SECKILL_HOME"/*/pid; do
    listening=$(ss -ltnpH | grep "pid=$(cat "$part"),")
    [ -n "$listening" ]
    run grep -v -E ' (127\.0\.0\.1|\[::ffff:127\.0\.0\.1\]):[0-9]+ ' <<<"$listening"
    [ -z "$output" ]
  done
}

@test "secrets are the owner's alone, and stand in no process's arguments" {
  run find "$SECKILL_HOME/secrets" -perm /077
  [ -z "$output" ]
  # A process that ends meanwhile is none that shows anything.
  run grep -l -s -a -F "$(cat "$SECKILL_HOME/secrets/db-password")" /proc/[0-9]*/cmdline
  [ -z "$output" ]
}

@test "a limit that is set is shown, and one that is no number is shown as ignored" {
  "$SECKILL" limits product 9999 qps 7
  redis-cli -p $((SECKILL_PORT + 4)) hset seckill:limits:product:9999 quota_percent lots
  run -0 "$SECKILL" limits
  redis-cli -p $((SECKILL_PORT + 4)) del seckill:limits:product:9999
  [[ $output =~ qps\ +9999\ +7\  ]]
  [[ $output =~ quota_percent\ +9999\ +.*\"lots\"\ is\ ignored ]]
}

@test "buy gets the signed path where the sale wants one" {
  local sale=78$((RANDOM + 1))
  "$SECKILL" sale create "$sale" --stock 3 --path on
  run -0 "$SECKILL" buy bea "$sale"
  [ "$(jq -r .status <<<"$output")" = ORDERED ]
}

@test "buying twice shows the refusal with the first reservation, and exits 1" {
  local sale=77$((RANDOM + 1)) first
  "$SECKILL" sale create "$sale" --stock 3
  run -0 "$SECKILL" sale create "$sale" --stock 3
  [[ $output == "no change"* ]]
  first=$("$SECKILL" buy bob "$sale")
  [ "$(jq -r .status <<<"$first")" = ORDERED ]
  run -1 "$SECKILL" buy bob "$sale"
  [ "$(jq -r .code <<<"$output")" = ALREADY_BOUGHT ]
  [ "$(jq -r .reservationId <<<"$output")" = "$(jq -r .reservationId <<<"$first")" ]
  run -0 "$SECKILL" pay "$(jq -r .orderSn <<<"$first")" --user bob
  run -1 "$SECKILL" pay "$(jq -r .orderSn <<<"$first")" --user eve
  run -0 "$SECKILL" audit "$sale"
  [[ ${lines[-1]} == BALANCED ]]
}

# Every key of every Redis that has the product's id, and every row of every table.
traces_of() {
  local port table
  for port in "$((SECKILL_PORT + 4))" "$((SECKILL_PORT + 10))" "$SHARD_PORT" "$((SECKILL_PORT + 12))"; do
    redis-cli -p "$port" --scan --pattern "*$1*"
    redis-cli -p "$port" sismember seckill:sales "$1" | grep -v '^0$' || true
  done
  for table in $(sql 'SHOW TABLES'); do
    sql "SELECT * FROM $table" | grep -- "$1" || true
  done
}

sql() { mariadb --defaults-file="$SECKILL_HOME/mariadb/client.cnf" -N -e "$1" seckill; }

@test "a synthetic sale is shown to no buyer, sells, and leaves only the word that it was removed" {
  local sale first port=$SECKILL_PORT
  sale=9$(shuf -i 10000000000000000-99999999999999999 -n 1)
  "$SECKILL" sale create "$sale" --stock 3 --path on --synthetic
  run ! grep "$sale" <<<"$(curl -sf "http://127.0.0.1:$port/seckill/sales")"
  first=$("$SECKILL" buy bob "$sale")
  [ "$(jq -r .status <<<"$first")" = ORDERED ]
  run -0 "$SECKILL" pay "$(jq -r .orderSn <<<"$first")" --user bob
  [ "$(traces_of "$sale" | wc -l)" -gt 10 ]
  run -0 "$SECKILL" sale remove "$sale"
  [ "$output" = "removed: sale of product $sale" ]
  # What a node leased of the quota is known for ten seconds more.
  for _ in {1..24}; do
    sleep 0.5
    run -0 traces_of "$sale"
    [ "${#lines[@]}" -ne 2 ] || break
  done
  echo "$output"
  [ "${#lines[@]}" -eq 2 ]
  [ "${lines[0]}" = "seckill:removed:$sale" ]
  [[ ${lines[1]} == "$sale"* ]]
  [ "$(curl -s "http://127.0.0.1:$port/seckill/sales/$sale" | jq -r .code)" = NO_SUCH_SALE ]
  run -1 "$SECKILL" sale remove 518
  [[ $output == *"NOT_SYNTHETIC"* ]]
}

# mapped_elsewhere PID: files below /tmp that it maps and that are neither its own nor this clone's,
# which may itself lie below /tmp. A mapping's path begins in the sixth column.
mapped_elsewhere() {
  awk -v home="$SECKILL_HOME/" -v clone="$REPO/" '
    $6 ~ "^/tmp/" && index($0, " " home) == 0 && index($0, " " clone) == 0' "/proc/$1/maps"
}

@test "temporary files are the part's own, and what a kill left goes with the next start" {
  local port=$((SECKILL_PORT + 1)) pid
  [ -n "$(find "$SECKILL_HOME/flash-sale/tmp" -name "tomcat.$port.*")" ]
  [ -z "$(find /tmp -maxdepth 1 -name "tomcat.$port.*")" ]
  for pid in "$SECKILL_HOME"/*/pid; do
    run -0 mapped_elsewhere "$(cat "$pid")"
    [ -z "$output" ]
  done
  slay flash-sale
  "$SECKILL" up
  [ "$(find "$SECKILL_HOME/flash-sale/tmp" -name "tomcat.$port.*" | wc -l)" -eq 1 ]
}
