#!/usr/bin/env bats
# The books of a running copy (SECKILL_HOME, SECKILL_PORT), and the words for what does not balance.

bats_require_minimum_version 1.5.0

setup() {
  REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  SECKILL=$REPO/seckill
  [ -f "$SECKILL_HOME/.seckill" ]
  SALE=78$((RANDOM + 1))$((RANDOM + 1))
  "$SECKILL" sale create "$SALE" --stock 6
  UNDO=:
}

# Whatever a test changed is put back, also when it failed.
teardown() { "$UNDO"; }

# signal SIGNAL PART
signal() { kill "-$1" "$(cat "$SECKILL_HOME/$2/pid")"; }

# buyers COUNT: each takes a unit; their orders are made, or wait.
buyers() {
  local i
  for ((i = 0; i < $1; i++)); do
    curl -sf -X POST -H "Authorization: Bearer $("$SECKILL" token "buyer-$i")" \
      "http://127.0.0.1:$SECKILL_PORT/seckill/flash/sale/deduct?productId=$SALE"
  done
}

# audit QUIET_S STUCK_S WORDS...: the verb with shorter patience, its progress every second.
audit() {
  # shellcheck disable=SC2016 # for the inner shell
  bash -c 'set -euo pipefail; REPO=$0 LIB=$0/cli/lib VERB_FILE=$0/cli/audit.sh
    source "$LIB/common.sh"; source "$VERB_FILE"
    QUIET_LIMIT_S=$1 STUCK_LIMIT_S=$2 PROGRESS_S=1; verb_audit "${@:3}"' "$REPO" "$@"
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
