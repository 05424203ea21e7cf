#: usage: ./seckill parked [--json] | parked replay ID
#: messages of which a service could make nothing; sends one again, once its reason is mended
#:
#: Unreadable, forged or altered ones, those of a shard or sale that is not known, and those that failed
#: again and again. They hold up nothing. The newest 100 are listed; --json has their bodies, too. What is
#: sent again leaves the list; if still nothing can be made of it, it comes back with a new id. What has its
#: order or its return already changes nothing. Exit 1 when it could not be sent.
# shellcheck shell=bash

source "$LIB/token.sh"
source "$LIB/http.sh"

verb_parked() {
  case ${1:-} in
    '' | --json) (($# < 2)) || misuse "unknown word '$2'"; list_parked "$@" ;;
    replay) replay_parked "$@" ;;
    *) misuse "unknown word '$1'" ;;
  esac
}

list_parked() { # [--json]
  need_copy
  request GET "$STOCK_AT/admin/parked" "$(make_token cli ops 60)"
  [[ $STATUS == 200 ]] || refused 'the parked messages' "$STOCK_AT"
  if (($#)); then
    printf '%s\n' "$BODY"
    return
  fi
  # Bodies may be anybody's: of what is shown nothing can reach the terminal but printable text.
  jq -r '
    def plain: gsub("[^ -~]"; "?");
    .messages[]
    | "\(.id)  \(.parkedAtMs / 1000 | floor | todate)  \(.service)  \(.topic)  \(.messageId | plain)",
      "  \(.reason | plain)"' <<<"$BODY"
  say "$(jq -r '"\(.count) parked" + if .count > (.messages | length) then ", the newest \(.messages | length) above" else "" end' <<<"$BODY")"
}

replay_parked() { # replay ID
  [[ ${2:-} =~ ^[1-9][0-9]{0,17}$ ]] || misuse "'${2:-}' is not the id of a parked message"
  (($# == 2)) || misuse "unknown word '$3'"
  need_copy
  request POST "$STOCK_AT/admin/parked/$2/replay" "$(make_token cli ops 60)"
  [[ $STATUS == 200 ]] || refused "parked message $2" "$STOCK_AT"
  say "sent again: $2, to $(jq -r .topic <<<"$BODY")"
}
