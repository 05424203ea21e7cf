#!/usr/bin/env bats
# The bench on a running copy (SECKILL_HOME, SECKILL_PORT; ./seckill test starts it), which it finds up and leaves up.

bats_require_minimum_version 1.8.0
load second_try

setup() {
  second_try
  REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  SECKILL=$REPO/seckill
  [ -f "$SECKILL_HOME/.seckill" ]
  export SECKILL_BENCH_HOME=$SECKILL_HOME SECKILL_BENCH_PORT=$SECKILL_PORT
}

@test "an unknown scenario is named with those there are, and nothing is started" {
  SECKILL_BENCH_HOME=$BATS_TEST_TMPDIR/none run --separate-stderr -2 "$SECKILL" bench idle fast
  # shellcheck disable=SC2154 # set by run
  [[ $stderr == *"unknown scenario 'fast'; there are "*idle* ]]
  [ ! -e "$BATS_TEST_TMPDIR/none" ]
}

@test "idle tells CPU and memory of each part as one JSON document, and the copy stays up" {
  run --separate-stderr -0 "$SECKILL" bench idle --quick --json
  jq -e '.quick and (.commit | length > 0) and .scenarios[0].limits["order.rate_per_second"] == "500"' <<<"$output"
  [ "$(jq '[.scenarios[0].rows[] | select(.what | endswith("memory")) | select(.figure > 1)] | length' <<<"$output")" -eq 10 ]
  run -0 "$SECKILL" status
}

@test "refusals, accepted attempts and a crowd come out right, and nothing of them is left" {
  local before
  before=$("$SECKILL" limits)
  run --separate-stderr -0 "$SECKILL" bench refusals accepted headline --quick --json
  jq -e '[.scenarios[] | .right] == [true, true, true]' <<<"$output"
  jq -e '.scenarios[2].rows[0] | .figure > 0 and .floors[0].ratio > 1 and (.remark | test("100 ORDERED"))' <<<"$output"
  [ "$("$SECKILL" limits)" = "$before" ]
}

# Not cold, which restarts the services, nor growth, which starts another copy: a minute or more each.
@test "waiting orders land or are rejected, half the load is timed, heaps are read, and all come out right" {
  run --separate-stderr -0 "$SECKILL" bench landed latency backlog memory --quick --json
  jq -e '[.scenarios[] | .right] == [true, true, true, true]' <<<"$output"
  jq -e '.scenarios[0].rows[0] | .figure > 0 and (.floors | length) == 3' <<<"$output"
  jq -e '[.scenarios[1].rows[].figure > 0] | all' <<<"$output"
  jq -e '.scenarios[2].rows[0].remark | test("of [1-9][0-9]*;")' <<<"$output"
  jq -e '[.scenarios[3].rows[] | .figure > 1 and .floors[0].ratio > 0.5] | length == 8 and all' <<<"$output"
}
