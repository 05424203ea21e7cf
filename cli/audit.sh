#: usage: ./seckill audit [PRODUCT] [--json]
#: the books per product and shard; exit 1 when they do not balance or cannot be read
#:
#: Q1 per shard: available + units of live orders = allocated. Q2: every reservation has its order.
#: A3: sold within what was allocated, and no more than the stock. A4: one live order per user. Units
#: still on their way get 10 s to arrive.
# shellcheck shell=bash

source "$LIB/token.sh"
source "$LIB/http.sh"

QUIET_LIMIT_S=10

verb_audit() {
  local query='' json=
  while (($#)); do
    case $1 in
      --json) json=1 ;;
      -*) misuse "unknown word '$1'" ;;
      *) need_product "$1"; [[ -z $query ]] || misuse "one PRODUCT, not also '$1'"; query="?productId=$1" ;;
    esac
    shift
  done
  need_copy
  read_books "$query"
  if [[ -n $json ]]; then jq -c . <<<"$BODY"; else print_books; fi
  jq -e .balanced <<<"$BODY" >/dev/null
}

read_books() {
  local deadline=$((SECONDS + QUIET_LIMIT_S)) token
  token=$(make_token cli ops 60)
  while :; do
    request GET "$STOCK_PORT/admin/audit$1" "$token"
    [[ $STATUS != 200 ]] || ! jq -e .balanced <<<"$BODY" >/dev/null || return 0
    [[ $STATUS == 200 || $STATUS == 503 ]] || break
    ((SECONDS < deadline)) || break
    sleep 0.5
  done
  [[ $STATUS == 200 ]] || refused audit "$STOCK_PORT"
}

print_books() {
  jq -r '
    def verdict(off; what): if off == 0 then "BALANCED" else what end;
    .products[] | . as $product
    | "product \(.productId), \(.stockTotal) units",
      "SHARD|ALLOCATED|AVAILABLE|RESERVED|LIVE ORDERS|RETURNED|Q1",
      (.shards[] | (.available + .liveOrders - .allocated) as $off
        | "\(.shard)|\(.allocated)|\(.available)|\(.reserved)|\(.liveOrders)|\(.returned)|\(if $off == 0 then "BALANCED" else "off by \($off)" end)"),
      "Q2 every reservation has its order, every order its reservation: \(
        verdict(.lostReservations + .unexpectedOrders; "\(.lostReservations) lost, \(.unexpectedOrders) unexpected"))",
      "A3 no more sold than there was: \(verdict(.oversold; "\(.oversold) too many"))",
      "A4 one live order per user: \(verdict(.duplicateBuyers; "\(.duplicateBuyers) users have more"))",
      (.differences[]? | "  ! \(.)"), ""
  ' <<<"$BODY" | awk -F'|' 'NF == 7 { printf "  %-6s %10s %10s %9s %12s %9s  %s\n", $1, $2, $3, $4, $5, $6, $7; next } { print }'
  if jq -e .balanced <<<"$BODY" >/dev/null; then say BALANCED; else say 'NOT BALANCED'; fi
}
