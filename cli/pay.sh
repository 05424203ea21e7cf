#: usage: ./seckill pay ORDER_SN --user USER
#: simulated payment of the user's own order
# shellcheck shell=bash

source "$LIB/token.sh"
source "$LIB/http.sh"

verb_pay() {
  [[ $# -eq 3 && ${2:-} == --user ]] || misuse 'ORDER_SN and --user USER are wanted'
  [[ $1 =~ ^[0-9]{24}$ ]] || misuse "ORDER_SN '$1' is not 24 digits"
  need_user "$3"
  need_copy
  local token
  token=$(make_token "$3" buyer 60)
  request POST "$EDGE_AT/seckill/orders/$1/pay" "$token"
  [[ $STATUS == 200 ]] || refused "pay $1"
  say "$BODY"
}
