#: usage: ./seckill bench [SCENARIO...]
#: measures the highest rates as ratios to floors of the same run, and CPU time by part
#:
#: Works on a copy of its own, so that no sale is disturbed and none disturbs: the folder SECKILL_BENCH_HOME
#: (default .run-bench) on the ports from SECKILL_BENCH_PORT on (default 28080). It is started when it is not
#: up, and then stopped and deleted at the end.
# shellcheck shell=bash

# Before anything is sourced: ports and folder follow from these.
export SECKILL_HOME=${SECKILL_BENCH_HOME:-$REPO/.run-bench} SECKILL_PORT=${SECKILL_BENCH_PORT:-28080}
source "$LIB/common.sh"
source "$LIB/load.sh"

verb_bench() {
  if ! copy_exists; then
    undo_at_exit wipe_bench_copy
    "$REPO/seckill" up
  fi
  load_program bench "$@"
}

wipe_bench_copy() { "$REPO/seckill" down --wipe >/dev/null || warn "could not remove $HOME_DIR"; }
