#: usage: ./seckill sale create PRODUCT --stock N [--price CENTS] [--name S] [--per-user N] [--start ISO] [--end ISO] [--path on|off] [--pay-within SECONDS] [--synthetic] | sale remove PRODUCT
#: creates the product's sale and spreads its stock over the shards; removes a synthetic one
#:
#: Again with the same numbers: no change. With other numbers: refused with the reason. Defaults: starts
#: now, ends in 24 h, one unit per user, path off, pay within 900 s. ISO: 2026-11-21T20:00:00Z or +08:00.
#: A synthetic sale is made to measure: no list that a buyer sees has it; whoever knows PRODUCT may buy.
#: remove ends it, waits up to 60 s until nothing of it is on its way, and leaves nothing of it; a real sale stays.
# shellcheck shell=bash

source "$LIB/token.sh"
source "$LIB/http.sh"

REMOVE_LIMIT_S=60
PROGRESS_S=5

verb_sale() {
  local word=${1:-}
  [[ $word == create || $word == remove ]] || misuse "unknown word '$word'"
  [[ -n ${2:-} ]] || misuse 'PRODUCT is missing'
  need_product "$2"
  shift
  "$word" "$@"
}

create() { # PRODUCT OPTIONS...
  local sale stock=
  sale=$(jq -n --arg id "$1" '{productId: $id}')
  shift
  while (($#)); do
    if [[ $1 == --synthetic ]]; then
      sale=$(jq '.synthetic = true' <<<"$sale")
      shift
      continue
    fi
    need_value "$1" $#
    [[ $1 != --stock ]] || stock=$2
    sale_field "$1" "$2"
    shift 2
  done
  [[ -n $stock ]] || misuse '--stock is missing'
  need_copy
  create_sale "$sale"
}

# sale_field OPTION VALUE: checks it and puts it into the caller's `sale`.
sale_field() {
  case $1 in
    --stock) number_field stock "$@" 1 1000000000 ;;
    --price) number_field priceCents "$@" 0 1000000000000 ;;
    --per-user) number_field perUserLimit "$@" 1 1000 ;;
    --pay-within) number_field payWithinSeconds "$@" 1 604800 ;;
    --name) [[ -n $2 && ${#2} -le 200 ]] || misuse '--name wants 1 to 200 characters'; text_field name "$2" ;;
    --start) time_field startAt "$@" ;;
    --end) time_field endAt "$@" ;;
    --path) [[ $2 == on || $2 == off ]] || misuse "--path '$2' is neither on nor off"; text_field path "$2" ;;
    *) misuse "unknown word '$1'" ;;
  esac
}

number_field() { # FIELD OPTION VALUE MIN MAX
  need_number "$2" "$3" "$4" "$5"
  sale=$(jq --arg field "$1" --argjson value "$3" '.[$field] = $value' <<<"$sale")
}

text_field() { # FIELD VALUE
  sale=$(jq --arg field "$1" --arg value "$2" '.[$field] = $value' <<<"$sale")
}

# An offset is wanted: without one the time would be the machine's, which is nobody's.
time_field() { # FIELD OPTION VALUE
  local form='^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})$'
  if [[ ! $3 =~ $form ]] || ! date -d "$3" >/dev/null 2>&1; then
    misuse "$2 '$3' is not a time like 2026-11-21T20:00:00Z or 2026-11-21T20:00:00+08:00"
  fi
  text_field "$1" "$(date -u -d "$3" +%Y-%m-%dT%H:%M:%S.%3NZ)"
}

# BUSY (a shard or the database is away) may pass: asked again for up to 20 s.
create_sale() {
  local token try
  token=$(make_token cli ops 60)
  for try in {1..20}; do
    request POST "$STOCK_AT/admin/sales" "$token" "$1"
    [[ $STATUS == 503 ]] || break
    sleep 1
  done
  local outcome
  case $STATUS in
    201) outcome=created ;;
    200) outcome='no change' ;;
    *) refused "sale of product $(jq -r .productId <<<"$1"), after $try attempts" "$STOCK_AT" ;;
  esac
  outcome+=": $(jq -r '"sale of product \(.productId), \(.stock) units"' <<<"$BODY")"
  await_edge "$(jq -r .productId <<<"$BODY")"
  say "$outcome"
}

# BUSY says what is on its way; the sale has ended then and goes by itself as soon as it can.
remove() { # PRODUCT
  (($# == 1)) || misuse "unknown word '$2'"
  need_copy
  local deadline=$((SECONDS + REMOVE_LIMIT_S)) told=$SECONDS
  while :; do
    request DELETE "$STOCK_AT/admin/sales/$1" "$(make_token cli ops 60)"
    if [[ $STATUS != 503 ]] || ((SECONDS >= deadline)); then break; fi
    if ((SECONDS >= told + PROGRESS_S)); then
      told=$SECONDS
      step "  … waiting: $(jq -r .message <<<"$BODY")" >&2
    fi
    sleep 0.5
  done
  [[ $STATUS == 200 ]] || refused "sale of product $1" "$STOCK_AT"
  say "removed: sale of product $1"
}

# The edge reads the sales four times a second; whoever buys next must not be told NO_SUCH_SALE.
await_edge() {
  local try
  for try in {1..30}; do
    request GET "$EDGE_AT/seckill/sales/$1" ''
    [[ $STATUS != 200 ]] || return 0
    sleep 0.1
  done
  warn "the edge ($EDGE_AT) does not know the sale after $try tries; $TO_SEE says what runs"
}
