#: usage: ./seckill restart PART
#: stops one part and starts it again, with the newest build and configuration
# shellcheck shell=bash

source "$LIB/jdk.sh"
source "$LIB/secrets.sh"
source "$LIB/parts.sh"

verb_restart() {
  [[ -n ${1:-} ]] || misuse 'PART is missing'
  need_part "$1"
  (($# == 1)) || misuse "unknown word '$2'"
  need_copy
  find_jdk
  lock_copy
  stop_parts "$1"
  refuse_taken_ports "$1"
  start_part "$1"
  await_parts "$1"
  step "$1 is healthy"
}
