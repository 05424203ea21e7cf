#: usage: ./seckill limits | limits set KEY VALUE|default | limits product PRODUCT KEY VALUE|default
#: shows and changes the limits, felt within a second
#:
#: The same by hand: redis-cli HSET seckill:limits KEY VALUE, or HSET seckill:limits:product:PRODUCT KEY
#: VALUE (HDEL for the default). Keys, bounds and units are those of contracts/limits.json. Each change is
#: kept in the table limit_change, with who made it where this command did, and put back if Redis loses it.
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
  [[ $4 == default ]] || need_number "$3" "$4" $bounds
  need_copy
  write_limit "${@:2}"
  say "$3 = $4"
}

operator() { printf '%s' "${SECKILL_OPERATOR:-$(id -un)@${HOSTNAME%%.*}}"; }

write_limit() { # HASH KEY VALUE|default; beside it who said so, until it is written down
  local note known
  note="$3 $(operator | tr -cd '!-~' | head -c 64)"
  if [[ $3 != default ]]; then
    control_redis HSET "$1" "$2" "$3" "$2.by" "$note" >/dev/null || no_control_redis
    return
  fi
  known=$(control_redis EVAL "if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
    redis.call('HDEL', KEYS[1], ARGV[1]) redis.call('HSET', KEYS[1], ARGV[1] .. '.by', ARGV[2]) return 1" \
    2 "$1" "$LIMITS_KEPT_KEY" "$2" "$note") || no_control_redis
  # What is removed before the lost ones are put back would come back with them.
  [[ $known == 1 ]] || die 'control Redis has lost its limits; stock puts them back within a second, then try again'
}

no_control_redis() { die "control Redis ($CONTROL_AT) does not answer; $TO_START repairs it"; }

show_limits() {
  local product
  need_copy
  [[ $(control_redis ping) == PONG ]] || no_control_redis
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
