#: usage: ./seckill limits | limits set KEY VALUE | limits product PRODUCT KEY VALUE
#: shows and changes the limits, felt within a second
#:
#: The same by hand: redis-cli HSET seckill:limits KEY VALUE, or HSET seckill:limits:product:PRODUCT KEY
#: VALUE. Keys, bounds and units are those of contracts/limits.json.
# shellcheck shell=bash

source "$LIB/redis.sh"

LIMITS=$REPO/contracts/limits.json

verb_limits() {
  case ${1:-} in
    '') show_limits ;;
    set) (($# == 3)) || misuse 'KEY and VALUE are wanted'; put_limit global "$LIMITS_KEY" "$2" "$3" ;;
    product)
      (($# == 4)) || misuse 'PRODUCT, KEY and VALUE are wanted'
      need_product "$2"
      put_limit product "$PRODUCT_LIMITS_KEY$2" "$3" "$4"
      ;;
    *) misuse "unknown word '$1'" ;;
  esac
}

put_limit() { # SCOPE HASH KEY VALUE
  local bounds
  bounds=$(jq -r --arg scope "$1" --arg key "$3" '.[] | select(.scope == $scope and .key == $key) | "\(.min) \(.max)"' "$LIMITS")
  [[ -n $bounds ]] || misuse "KEY '$3' is no $1 limit; there are: $(jq -r --arg scope "$1" '[.[] | select(.scope == $scope).key] | join(" ")' "$LIMITS")"
  # shellcheck disable=SC2086 # two numbers
  need_number "$3" "$4" $bounds
  need_copy
  control_redis HSET "$2" "$3" "$4" >/dev/null || die "control Redis (port $CONTROL_PORT) does not answer; ./seckill up repairs it"
  say "$3 = $4"
}

show_limits() {
  local product
  need_copy
  [[ $(control_redis ping) == PONG ]] || die "control Redis (port $CONTROL_PORT) does not answer; ./seckill up repairs it"
  {
    echo 'KEY|SCOPE|VALUE|DEFAULT|UNIT|MEANING'
    limit_rows global global "$LIMITS_KEY"
    for product in $(limited_products); do limit_rows product "$product" "$PRODUCT_LIMITS_KEY$product"; done
  } | awk -F'|' '{ printf "%-24s %-18s %-10s %-10s %-20s %s\n", $1, $2, $3, $4, $5, $6 }'
}

# Products on sale, and those with limits but no sale yet.
limited_products() {
  {
    control_redis SMEMBERS "$SALES_KEY"
    control_redis --scan --pattern "$PRODUCT_LIMITS_KEY*" | sed 's/.*://'
  } | grep -E '^[1-9][0-9]{0,17}$' | sort -un
}

# limit_rows SCOPE SHOWN HASH: what the readers of a hash will use; a value they ignore is marked.
limit_rows() {
  control_redis EVAL "return cjson.encode(redis.call('HGETALL', KEYS[1]))" 1 "$3" | jq -r --arg scope "$1" --arg shown "$2" --slurpfile limits "$LIMITS" '
    (arrays // []) as $flat
    | [range(0; $flat | length; 2) | {($flat[.]): $flat[. + 1]}] | add // {} | . as $set
    | $limits[0][] | select(.scope == $scope) | . as $limit
    | $set[.key] as $text
    | (if $text == null then "\(.default)"
       elif ($text | test("\\A(0|[1-9][0-9]{0,8})\\z")) and ($text | tonumber) >= .min and ($text | tonumber) <= .max then $text
       else "? (\($text[:20] | tojson) is ignored)" end) as $value
    | "\(.key)|\($shown)|\($value)|\(.default)|\(.unit)|\(.about)"'
}
