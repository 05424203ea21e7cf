#: usage: ./seckill token USER [--role buyer|ops] [--ttl SECONDS]
#: prints a signed HS256 token for this copy's keys
#:
#:   --role   buyer (default) or ops, which stock-service's admin routes want
#:   --ttl    1 to 31536000 s; default 86400 for a buyer, 3600 for ops
# shellcheck shell=bash

source "$LIB/token.sh"

verb_token() {
  local user=${1:-} role=buyer ttl=
  [[ -n $user ]] || misuse 'USER is missing'
  need_user "$user"
  shift
  while (($#)); do
    need_value "$1" $#
    case $1 in
      --role) [[ $2 == buyer || $2 == ops ]] || misuse "--role '$2' is neither buyer nor ops"; role=$2 ;;
      --ttl) need_number --ttl "$2" 1 31536000; ttl=$2 ;;
      *) misuse "unknown word '$1'" ;;
    esac
    shift 2
  done
  [[ $role == buyer ]] || ttl=${ttl:-3600}
  make_token "$user" "$role" "${ttl:-86400}"
}
