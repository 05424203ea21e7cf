#: usage: ./seckill shard list [--json] | shard retire N --for-good
#: the shards: what of them sells nothing at present and why; gives up one that will never come back
#:
#: CLOSED: it was restarted, restored or promoted, or it lost data. Nothing of it sells until its part of
#: each product is compared with the books and opened, or rebuilt from its orders; that goes by itself. AWAY:
#: it does not answer. The others sell on. Exit 1 when a shard is not OPEN. A gate is open for one life of a
#: Redis, named by the first eight digits of its replication id.
#: retire moves what shard N has not sold to the other shards of each sale; nothing of it is ever used again,
#: not even when it comes back. Its orders stay: who has not paid yet may pay, and a unit of an order that
#: is closed is sold elsewhere. New sales leave it out.
# shellcheck shell=bash

source "$LIB/token.sh"
source "$LIB/http.sh"

verb_shard() {
  case ${1:-} in
    list) list "$@" ;;
    retire) retire "$@" ;;
    *) misuse "unknown word '${1:-}'" ;;
  esac
}

list() { # list [--json]
  [[ $# == 1 || ${2:-} == --json ]] || misuse "unknown word '$2'"
  (($# < 3)) || misuse "unknown word '$3'"
  need_copy
  request GET "$STOCK_AT/admin/shards" "$(make_token cli ops 60)"
  [[ $STATUS == 200 ]] || refused 'the shards' "$STOCK_AT"
  if (($# == 2)); then
    printf '%s\n' "$BODY"
  else
    table
  fi
  jq -e 'all(.shards[]; .state == "OPEN")' >/dev/null <<<"$BODY"
}

retire() { # retire N --for-good
  [[ ${2:-} =~ ^(0|[1-9][0-9]{0,8})$ ]] || misuse "'${2:-}' is not the number of a shard"
  [[ ${3:-} == --for-good ]] || misuse 'say --for-good: nothing of that shard is ever used again'
  (($# == 3)) || misuse "unknown word '$4'"
  need_copy
  request POST "$STOCK_AT/admin/shards/$2/retire" "$(make_token cli ops 60)"
  [[ $STATUS == 200 ]] || refused "shard $2" "$STOCK_AT"
  say "retired: shard $2; $(jq .movedUnits <<<"$BODY") units went to other shards"
}

table() {
  jq -r --argjson now "$(date +%s)" '
    def ago: if .sinceMs > 0 then ", for \($now - (.sinceMs / 1000 | floor)) s" else "" end;
    def gate:
      if .gate == null then "gate unknown"
      elif .gate.openFor == .gate.identity then "gate open for \(.gate.identity[:8])"
      elif .gate.openFor == "" then "gate closed: no data compared yet of \(.gate.identity[:8])"
      else "gate closed: \(.gate.openFor[:8]) was compared, \(.gate.identity[:8]) answers" end;
    .shards[]
    | "shard \(.shard)  \(.state)  \(.products) products" + ago + (if .why == "" then "" else ": \(.why)" end),
      (.parts[]
        | "  product \(.productId)  \(.state)  epoch \(.epoch), \(gate)"
          + (if .state == "CLOSED" then ago + ": \(.why); \(.doing)" else "" end)
          + (if .remainingMs then ", about \(.remainingMs / 1000 | ceil) s more" else "" end))' <<<"$BODY"
  jq -r '.retired[] | "shard \(.)  RETIRED"' <<<"$BODY"
}
