#!/usr/bin/env bats
# Faults on a running copy (SECKILL_HOME, SECKILL_PORT; ./seckill test starts it), which they find up and leave up.

bats_require_minimum_version 1.8.0
load second_try

setup() {
  second_try
  REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  SECKILL=$REPO/seckill
  [ -f "$SECKILL_HOME/.seckill" ]
  export SECKILL_FAULTS_HOME=$SECKILL_HOME SECKILL_FAULTS_PORT=$SECKILL_PORT
}

@test "an unknown fault is named with those there are, and nothing is started" {
  SECKILL_FAULTS_HOME=$BATS_TEST_TMPDIR/none run --separate-stderr -2 "$SECKILL" faults empty fire
  # shellcheck disable=SC2154 # set by run
  [[ $stderr == *"unknown fault 'fire'; there are "*flushall* ]]
  [ ! -e "$BATS_TEST_TMPDIR/none" ]
}

# Two of those that lose data, with a seed, so that each run takes as long as the one before.
@test "a shard that loses writes in the middle of a sale is taken back, and every unit finds one buyer" {
  run --separate-stderr -0 "$SECKILL" faults aof-cut empty --seed 11
  echo "$stderr"
  run -0 "$SECKILL" status
}

# Its sale stays in the copy.
@test "attempts that came while all shards were away are made once they are back, though the service was killed" {
  run --separate-stderr -0 "$SECKILL" faults shards-away --seed 3
  echo "$stderr"
  run -0 "$SECKILL" status
}

# Seed 4: the part is emptied and nothing is in it yet.
@test "a stock-service that ends in the middle of a rebuild begins it again, and every unit finds one buyer" {
  run --separate-stderr -0 "$SECKILL" faults recovery-crash --seed 4
  echo "$stderr"
  [[ $stderr == *"recovery-crash rebuild.begun, seed 4: right"* ]]
  run -0 "$SECKILL" status
}

# The round asks the audit; the other faults of what makes orders, two minutes, by hand.
@test "orders that wait for a lock come in the end, and the books balance" {
  run --separate-stderr -0 "$SECKILL" faults ledger-row-held --seed 11
  echo "$stderr"
  run -0 "$SECKILL" status
}
