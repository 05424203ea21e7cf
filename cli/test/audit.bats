#!/usr/bin/env bats
# The books of a running copy (SECKILL_HOME, SECKILL_PORT), and the words for what does not balance.

bats_require_minimum_version 1.8.0
load second_try

setup() {
  second_try
  REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  SECKILL=$REPO/seckill
  [ -f "$SECKILL_HOME/.seckill" ]
  SALE=78$((RANDOM + 1))$((RANDOM + 1))
  "$SECKILL" sale create "$SALE" --stock 6 --per-user 2
  UNDO=:
}

# Whatever a test changed is put back, also when it failed.
teardown() { "$UNDO"; }

# signal SIGNAL PART
signal() { kill "-$1" "$(cat "$SECKILL_HOME/$2/pid")"; }

# buyers COUNT [QUANTITY]: each takes so many units; their orders are made, or wait.
buyers() {
  local i
  for ((i = 0; i < $1; i++)); do
    curl -sf -X POST -H "Authorization: Bearer $("$SECKILL" token "buyer-$i")" \
      "http://127.0.0.1:$SECKILL_PORT/seckill/flash/sale/deduct?productId=$SALE&quantity=${2:-1}"
  done
}

# audit QUIET_S STUCK_S WORDS...: the verb with shorter patience, its progress every second.
audit() {
  # shellcheck disable=SC2016 # for the inner shell
  bash -c 'set -euo pipefail; REPO=$0 LIB=$0/cli/lib VERB_FILE=$0/cli/audit.sh
    source "$LIB/common.sh"; source "$VERB_FILE"
    QUIET_LIMIT_S=$1 STUCK_LIMIT_S=$2 PROGRESS_S=1; verb_audit "${@:3}"' "$REPO" "$@"
}

# sql STATEMENT: as the services' user.
sql() { mariadb --defaults-file="$SECKILL_HOME/mariadb/client.cnf" -N -e "$1"; }

# sold COUNT [QUANTITY]: buyers, and their orders are there.
sold() {
  buyers "$@"
  "$SECKILL" audit "$SALE"
}

# fails EQUATION SENTENCE: the last audit's line of the equation is not BALANCED, all others are, and one
# of the differences below matches.
fails() {
  [[ ${lines[-1]} == 'NOT BALANCED' ]]
  [[ $output =~ $'\n'"$1 "[^$'\n']*": see below"$'\n' ]]
  [ "$(grep -c -E '^[AQ][0-9].*: BALANCED$' <<<"$output")" -eq 3 ]
  [[ $output =~ $'\n'"  ! $1 product $SALE"$2 ]]
}

go_on() { signal CONT order; }

@test "audit waits for messages that wait for their order, says so, and balances" {
  UNDO=go_on
  signal STOP order
  buyers 4
  "$SECKILL" audit "$SALE" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  local audit=$!
  sleep 12 # longer than an audit waits with nothing on its way
  kill -0 "$audit"
  signal CONT order
  wait "$audit"
  [ "$(tail -n 1 "$BATS_TEST_TMPDIR/out")" = BALANCED ]
  [[ $(<"$BATS_TEST_TMPDIR/err") =~ waiting:.*\ [1-9][0-9]*\ messages\ to\ order-service ]]
}

@test "audit that has waited in vain calls nothing lost that is on its way" {
  UNDO=go_on
  signal STOP order
  buyers 4
  run -1 --separate-stderr audit 1 5 "$SALE"
  [[ ${lines[-1]} == 'NOT BALANCED' ]]
  [[ $output =~ Q2\ [^$'\n']*:\ 4\ without\ an\ order\ \([1-9][0-9]*\ messages\ still\ on\ their\ way\),\ 0\ unexpected ]]
  [[ ${lines[-2]} =~ ^on\ its\ way:.*[1-9][0-9]*\ messages\ to\ order-service ]]
  [[ $output != *lost* ]]
  run -1 --separate-stderr audit 1 1 "$SALE" --json
  [ "$(jq '.products[0] | .lostReservations, .reservationsWithoutOrder' <<<"$output" | xargs)" = '0 4' ]
  [ "$(jq '.pending.reservationMessages >= 4' <<<"$output")" = true ]
}

@test "a ledger that differs from the orders fails A3, in its line too" {
  UNDO=put_ledger_back
  sold 1
  sql "UPDATE shard_ledger SET sold = sold + 1 WHERE product_id = $SALE AND shard = 0"
  run -1 --separate-stderr audit 1 1 "$SALE"
  fails A3 ', shard 0: sold [12], live orders [01]'
}

put_ledger_back() {
  sql "UPDATE shard_ledger SET sold = sold - 1 WHERE product_id = $SALE AND shard = 0"
  "$SECKILL" audit "$SALE"
}

@test "an order that names another user than its reservation fails Q2, in its line too" {
  UNDO=put_user_back
  sold 1
  sql "UPDATE orders SET user_id = 'eve' WHERE product_id = $SALE"
  run -1 --separate-stderr audit 1 1 "$SALE"
  fails Q2 ', shard [0-9]: 1 orders with another user or quantity than reserved'
}

put_user_back() {
  sql "UPDATE orders SET user_id = 'buyer-0' WHERE product_id = $SALE"
  "$SECKILL" audit "$SALE"
}

@test "an order beyond the limit of its sale fails A4, in its line too" {
  UNDO=put_limit_back
  sold 1 2
  sql "UPDATE sale SET per_user_limit = 1 WHERE product_id = $SALE"
  run -1 --separate-stderr audit 1 1 "$SALE"
  fails A4 ': 1 orders of more than 1 units'
}

put_limit_back() {
  sql "UPDATE sale SET per_user_limit = 2 WHERE product_id = $SALE"
  "$SECKILL" audit "$SALE"
}

@test "a unit added to a shard by hand fails A1 and Q1 of that shard alone" {
  UNDO=take_unit_back
  shard_stock 1
  run -1 --separate-stderr audit 1 1 "$SALE"
  [[ $output =~ $'\n'"A1 A2 A5 "[^$'\n']*": see below"$'\n' ]]
  [[ ${lines[3]} =~ ^\ +1\ .*\ off\ by\ 1$ ]]
  [ "$(grep -c 'off by' <<<"$output")" -eq 1 ]
}

shard_stock() { redis-cli -p $((SECKILL_PORT + 11)) HINCRBY "seckill:{$SALE}:stock" available "$1"; }

take_unit_back() {
  shard_stock -1
  "$SECKILL" audit "$SALE"
}
