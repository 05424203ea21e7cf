#!/usr/bin/env bats
# A short rehearsal on a running copy (SECKILL_HOME, SECKILL_PORT; ./seckill test starts it).
# shellcheck disable=SC2034,SC2154 # counters of loops; run sets stderr

bats_require_minimum_version 1.8.0
load second_try

setup() {
  second_try
  REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  SECKILL=$REPO/seckill
  [ -f "$SECKILL_HOME/.seckill" ]
}

control() { redis-cli -p $((SECKILL_PORT + 4)) "$@"; }

# What an operator could see change: limits, and the sales that are published.
state() {
  control hgetall seckill:limits
  control --scan --pattern 'seckill:limits:product:*' | sort
  control smembers seckill:sales | sort
}

@test "a rehearsal says which limits to set and leaves nothing but its report" {
  local sale=79$((RANDOM + 1)) before report
  "$SECKILL" sale create "$sale" --stock 3 --per-user 2 --path on
  before=$(state)
  run -0 --separate-stderr "$SECKILL" rehearse "$sale" --quick
  echo "$output" "$stderr"
  [[ $stderr == *'costs real buyers throughput'* ]]
  [[ $output =~ refused\ at\ the\ edge\ +[1-9] ]]
  [[ $output =~ accepted\ [^0-9]+[1-9] ]]
  [[ $output =~ landed\ [^0-9]+[1-9] ]]
  [[ $output =~ ./seckill\ limits\ set\ edge.global_qps\ [1-9] ]]
  [[ $output =~ ./seckill\ limits\ product\ $sale\ qps\ [1-9] ]]
  [[ $output =~ ./seckill\ limits\ set\ order.rate_per_second\ [1-9] ]]
  report=${lines[-1]#This report: }
  [[ $report == "$SECKILL_HOME"/reports/* && $(cat "$report") == "Rehearsal of product $sale"* ]]
  [ "$(state)" = "$before" ]
  [[ $stderr == *"sale is removed"* ]]
  run -0 "$SECKILL" audit "$sale"
  [[ ${lines[-1]} == BALANCED ]]
}

@test "a rehearsal that is stopped puts limits back, removes its sale and says so" {
  local sale=79$((RANDOM + 1)) before try
  "$SECKILL" sale create "$sale" --stock 3
  before=$(state)
  set -m # its own process group, as at a terminal
  "$SECKILL" rehearse "$sale" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  set +m
  for try in {1..300}; do
    ! grep -q 'what is accepted' "$BATS_TEST_TMPDIR/out" || break
    sleep 0.2
  done
  kill -INT -- "-$!"
  wait $! || true
  # The program works on after its shell has ended, and holds the copy until it ends.
  flock -w 60 "$SECKILL_HOME/load-lock" true
  cat "$BATS_TEST_TMPDIR/out"
  grep -q 'the limits are as they were' "$BATS_TEST_TMPDIR/out"
  grep -q 'sale is removed' "$BATS_TEST_TMPDIR/out"
  [ "$(state)" = "$before" ]
}

@test "a rehearsal of no sale is one clear line" {
  run -1 --separate-stderr "$SECKILL" rehearse 7
  [[ ${stderr_lines[-1]} == *"product 7: NO_SUCH_SALE: "* ]]
}
