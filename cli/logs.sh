#: usage: ./seckill logs PART [-f]
#: prints the last 100 lines of a part's log, -f follows it
#:
#: PART is a name of ./seckill status. The log of the start before is log.1 beside it.
# shellcheck shell=bash

source "$LIB/process.sh"

verb_logs() {
  local part=${1:-} follow=()
  [[ -n $part ]] || misuse 'PART is missing'
  need_part "$part"
  [[ ${2:-} != -f ]] || { follow=(-F); set -- "$1"; }
  (($# == 1)) || misuse "unknown word '$2'"
  [[ -f $(log_of "$part") ]] || die "$part has no log yet in $(folder_of "$part"); run ./seckill up first"
  exec tail -n 100 "${follow[@]}" "$(log_of "$part")"
}
