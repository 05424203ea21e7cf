#: usage: ./seckill buy USER PRODUCT
#: one purchase through the edge, waiting for the final result; exit 0 only for ORDERED
#:
#: Prints one JSON object: the result with the reservationId, or the refusal. Asks again on 429 and 503
#: after the time the answer names, for 30 s at most; then waits for the result, 30 s at most.
# shellcheck shell=bash

source "$LIB/token.sh"
source "$LIB/http.sh"

LIMIT_S=30

verb_buy() {
  (($# == 2)) || misuse 'USER and PRODUCT are wanted'
  need_user "$1"
  need_product "$2"
  need_copy
  local token
  token=$(make_token "$1" buyer 300)
  attempt "$token" "$2"
  await_result "$token" "$2"
}

# Ends here unless the attempt was accepted, or nobody knows yet (202 PENDING), which the result will tell;
# leaves its answer in ACCEPTED. A BUSY is unknown: when the
# next try finds a reservation, it is the one that the lost answer was about.
attempt() {
  local deadline=$((SECONDS + LIMIT_S))
  UNKNOWN=
  while :; do
    deduct "$1" "$2"
    case $STATUS in
      202) ACCEPTED=$BODY; return ;;
      409)
        [[ -z $UNKNOWN || $(jq -r .code <<<"$BODY") != ALREADY_BOUGHT ]] || { ACCEPTED=$BODY; return; }
        break
        ;;
      429 | 503)
        ((SECONDS < deadline)) || break
        sleep_ms "$(jq -r '.retryAfterMs // 1000' <<<"$BODY")"
        ;;
      *) break ;;
    esac
  done
  [[ $STATUS != 000 ]] || refused "buy"
  say "$BODY"
  exit 1
}

# A sale with a signed path gives it out first, to those it lets try.
deduct() {
  local path=
  request GET "$EDGE_AT/seckill/sales/$2" "$1"
  if [[ $(jq -r '.path // empty' <<<"$BODY" 2>/dev/null) == on ]]; then
    request POST "$EDGE_AT/seckill/flash/sale/path?productId=$2" "$1"
    [[ $STATUS == 200 ]] || return 0
    path=$(jq -r .path <<<"$BODY")/
  fi
  request POST "$EDGE_AT/seckill/flash/sale/${path}deduct?productId=$2" "$1"
  [[ $STATUS != 503 || $(jq -r .code <<<"$BODY" 2>/dev/null) == PAUSED ]] || UNKNOWN=1
}

# The result of this very attempt: a PENDING that lasts is reported as such, for it is not known.
await_result() {
  local deadline=$((SECONDS + LIMIT_S)) status=PENDING
  while :; do
    request GET "$EDGE_AT/seckill/flash/sale/result?productId=$2" "$1"
    status=$(jq -r '.status // empty' <<<"$BODY" 2>/dev/null) || status=
    [[ $STATUS != 200 || $status == PENDING || $status == NONE ]] || break
    ((SECONDS < deadline)) || break
    sleep 0.2
  done
  [[ $STATUS == 200 ]] || refused "buy: $ACCEPTED"
  jq -c --argjson accepted "$ACCEPTED" '{reservationId: $accepted.reservationId} + .' <<<"$BODY"
  [[ $status == ORDERED ]]
}

sleep_ms() { sleep "$(($1 / 1000)).$(printf '%03d' $(($1 % 1000)))"; }
