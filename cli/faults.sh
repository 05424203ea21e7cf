#: usage: ./seckill faults [FAULT...] [--rounds N] [--seed S]
#: breaks a shard, or what makes orders, in the middle of sale after sale, and tells how each came out
#:
#: A round: a sale of 90 units on all shards, 140 users who ask until they hold one or are told that none is
#: left, one fault at a random moment of it, then up to 60 s until all is well again: every unit has its order,
#: no user two, each accepted buyer was told, shards and database agree. Read past the services; `audit` must
#: be BALANCED too. A round whose fault took nothing is VACUOUS and shows nothing.
#:
#: Works on a copy of its own: the folder SECKILL_FAULTS_HOME (default .run-faults) on the ports from
#: SECKILL_FAULTS_PORT on (default 26080). One that is up stays up; one that is down is stopped again at the
#: end; one that is not there is made, and deleted at the end, but for one that is broken, which is kept.
#: Exit 1 when a round is broken, or no round of a fault took anything.
#:
#:   FAULT        without one: all (an unknown one names them)
#:   --rounds N   of each fault; default 1
#:   --seed S     of the first round, the next one has S + 1; without it another one each time
# shellcheck shell=bash

# Before anything is sourced: ports and folder follow from these.
export SECKILL_HOME=${SECKILL_FAULTS_HOME:-$REPO/.run-faults} SECKILL_PORT=${SECKILL_FAULTS_PORT:-26080}
source "$LIB/common.sh"
source "$LIB/load.sh"

verb_faults() {
  load_check faults "$@"
  if ! copy_exists; then
    undo_at_exit wipe_faults_copy
  elif ! any_running; then
    undo_at_exit stop_faults_copy
  fi
  "$REPO/seckill" up >&2 || die "the copy in $HOME_DIR does not come up"
  load_program faults "$@" || {
    [[ $AT_EXIT == : ]] || undo_at_exit stop_faults_copy # its data tells what went wrong
    exit 1
  }
}

wipe_faults_copy() { "$REPO/seckill" down --wipe >&2 || warn "could not remove $HOME_DIR"; }
stop_faults_copy() { "$REPO/seckill" down >&2 || warn "could not stop $HOME_DIR"; }
