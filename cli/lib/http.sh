# HTTP to this copy's own parts.
# shellcheck shell=bash

# request METHOD URL TOKEN [JSON]: sets STATUS (000: no answer) and BODY. The token goes in through a
# file descriptor, so that it never stands in the list of processes, and never to a proxy of the operator's.
request() {
  local answer data=()
  [[ -z ${4:-} ]] || data=(-H 'Content-Type: application/json' --data-binary "$4")
  answer=$(curl -q --noproxy '*' -s -X "$1" --max-time 15 -w '\n%{http_code}' -H @<(echo "Authorization: Bearer $3") \
    "${data[@]}" "http://$2") || true
  STATUS=${answer##*$'\n'}
  BODY=${answer%$'\n'*}
}

# refused WHAT [WHERE]: "WHAT: CODE: message" of the last answer on stderr, exit 1.
refused() {
  [[ $STATUS != 000 ]] || die "$1: no answer from ${2:-$EDGE_AT}; $TO_SEE says what runs"
  local said
  said=$(jq -er 'select(all(.code, .message; type == "string")) | .code + ": " + .message' <<<"$BODY" 2>/dev/null) || said="status $STATUS: ${BODY:0:200}"
  die "$1: $said"
}
