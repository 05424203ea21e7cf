#: usage: ./seckill audit [PRODUCT] [--json]
#: the books per product and shard; exit 1 when they do not balance or cannot be read
#:
#: Q1 per shard: available + units of live orders = allocated. Q2: every reservation has its order.
#: A1, A2, A5: a shard's counters, reservations and buyers agree. A3: sold within what was allocated, and no
#: more than the stock. A4: one live order per user, within the limit. While something is on its way this
#: waits, saying so on stderr, until the books balance or 60 s have brought no progress; 10 s when nothing
#: is. RocketMQ's numbers are up to 5 s old, so perhaps too high. "lost" is only what cannot be on its way
#: any more.
# shellcheck shell=bash

source "$LIB/token.sh"
source "$LIB/http.sh"

QUIET_LIMIT_S=10 # nothing is on its way, or nobody can tell
STUCK_LIMIT_S=60 # something is, and no less than before
PROGRESS_S=5

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

# Asks until the books balance, or waiting has become useless. The number on its way is compared with the
# least so far: a sale that goes on must not keep this waiting for ever.
read_books() {
  local deadline=$((SECONDS + QUIET_LIMIT_S)) told=$SECONDS least="" pending
  while :; do
    request GET "$STOCK_AT/admin/audit$1" "$(make_token cli ops 60)"
    [[ $STATUS == 200 || $STATUS == 503 ]] || break
    if [[ $STATUS == 200 ]]; then
      ! jq -e .balanced <<<"$BODY" >/dev/null || return 0
      pending=$(jq '.pending | if any(.[]; . == null) then empty else add end' <<<"$BODY")
      if [[ -n $pending ]] && ((pending < ${least:-pending + 1})); then
        deadline=$((SECONDS + (pending ? STUCK_LIMIT_S : QUIET_LIMIT_S)))
        least=$pending
      fi
    fi
    ((SECONDS < deadline)) || break
    if ((SECONDS >= told + PROGRESS_S)); then
      told=$SECONDS
      step "  … waiting: $(waiting_for)" >&2
    fi
    sleep 0.5
  done
  [[ $STATUS == 200 ]] || refused audit "$STOCK_AT"
}

waiting_for() {
  local way
  [[ $STATUS == 200 ]] || { jq -r .message <<<"$BODY"; return; }
  way=$(on_its_way)
  echo "${way:-nothing is on its way, and the books differ}"
}

# What the last answer counts at each step of the way; empty when there is nothing.
on_its_way() {
  jq -r '
    def told(n; what): if n == 0 then empty else "\(n) \(what)" end;
    def queued(n; what):
      if n == null then "an unknown number of \(what)" elif n == 0 then empty else "at most \(n) \(what)" end;
    .pending | [
      told(.outboxEntries; "reservations in outboxes of shards"),
      queued(.reservationMessages; "messages to order-service"),
      told(.orderOutbox; "messages in the outbox of order-service"),
      queued(.returnMessages; "messages to stock-service"),
      told(.returns; "returns not done")
    ] | join(", ")' <<<"$BODY"
}

print_books() {
  local way
  books_table
  way=$(on_its_way)
  [[ -z $way ]] || say "on its way: $way"
  if jq -e .balanced <<<"$BODY" >/dev/null; then say BALANCED; else say 'NOT BALANCED'; fi
}

# Each verdict is that of `differences`, which has every equation that does not hold; the counts only say
# how far it is off. A reservation without an order is lost only when its order, or its return, cannot be on
# its way.
books_table() {
  jq -r '
    def fails($equation): any(.differences[]; startswith($equation));
    def verdict($equation; $count; what):
      if fails($equation + " ") | not then "BALANCED" elif $count == 0 then "see below" else what end;
    def q1($product):
      (.available + .liveOrders - .allocated) as $off | "Q1 product \($product.productId), shard \(.shard):" as $where
      | if $product | fails($where) then "off by \($off)"
        elif $off == 0 then "BALANCED" else "being loaded" end;
    def without_order($product; $pending):
      ($pending.outboxEntries + $pending.reservationMessages + $pending.returns) as $way
      | if $pending.reservationMessages == null then "unknown how many messages are" else "\($way) messages" end
      | "\($product.reservationsWithoutOrder) without an order (\(.) still on their way)"
      | if $product.lostReservations > 0 then "\(.), at least \($product.lostReservations) of them lost" else . end;
    .pending as $pending | .products[] | . as $product
    | "product \(.productId), \(.stockTotal) units",
      "SHARD|ALLOCATED|AVAILABLE|RESERVED|LIVE ORDERS|RETURNED|Q1",
      (.shards[] | "\(.shard)|\(.allocated)|\(.available)|\(.reserved)|\(.liveOrders)|\(.returned)|\(q1($product))"),
      "Q2 every reservation has its order, every order its reservation: \(
        verdict("Q2"; .reservationsWithoutOrder + .unexpectedOrders;
          "\(if .lostReservations == .reservationsWithoutOrder then "\(.lostReservations) lost"
              else without_order($product; $pending) end), \(.unexpectedOrders) unexpected"))",
      "A1 A2 A5 counters, reservations and buyers of each shard agree: \(
        if fails("A1 ") or fails("A2 ") or fails("A5 ") then "see below" else "BALANCED" end)",
      "A3 no more sold than there was: \(verdict("A3"; .oversold; "\(.oversold) too many"))",
      "A4 one live order per user, within the limit: \(verdict("A4"; .duplicateBuyers; "\(.duplicateBuyers) users have more"))",
      (.differences[]? | "  ! \(.)"), ""
  ' <<<"$BODY" | awk -F'|' 'NF == 7 { printf "  %-6s %10s %10s %9s %12s %9s  %s\n", $1, $2, $3, $4, $5, $6, $7; next } { print }'
}
