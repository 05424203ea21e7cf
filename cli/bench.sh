#: usage: ./seckill bench [SCENARIO...] [--json] [--write] [--quick]
#: measures the highest rates as ratios to floors of the same run, and CPU time by part
#:
#: Works on a copy of its own, so that no sale is disturbed and none disturbs: the folder SECKILL_BENCH_HOME
#: (default .run-bench) on the ports from SECKILL_BENCH_PORT on (default 28080). One that is up stays up; one
#: that is down is stopped again at the end; one that is not there is made, and deleted at the end.
#: `growth` makes copies beside it, one at a time: in that folder's name with -growth, 40 ports higher.
#: Exit 1 when a sale did not come out right: its row says WRONG.
#:
#:   SCENARIO   without one: all (an unknown one names them)
#:   --json     one JSON document instead of tables; load/README.md has its shape
#:   --write    puts each table into docs/benchmarks.md, in the place of the scenario's former one
#:   --quick    a hundredth of every count: shows that it works, measures nothing
# shellcheck shell=bash

# Before anything is sourced: ports and folder follow from these.
export SECKILL_HOME=${SECKILL_BENCH_HOME:-$REPO/.run-bench} SECKILL_PORT=${SECKILL_BENCH_PORT:-28080}
source "$LIB/common.sh"
source "$LIB/load.sh"

verb_bench() {
  load_check bench "$@"
  if ! copy_exists; then
    undo_at_exit wipe_bench_copy
  elif ! any_running; then
    undo_at_exit stop_bench_copy
  fi
  # Its words are progress: the tables are what is printed. Our lock is none of its business.
  "$REPO/seckill" up >&2 || die "the bench's own copy in $HOME_DIR does not come up"
  load_program bench "$@"
}

wipe_bench_copy() { "$REPO/seckill" down --wipe >&2 || warn "could not remove $HOME_DIR"; }
stop_bench_copy() { "$REPO/seckill" down >&2 || warn "could not stop $HOME_DIR"; }
