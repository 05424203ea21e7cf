#: usage: ./seckill spec [--walks N] [--seed S] [--without RULE]
#: explores the model of how a shard comes back, and tells the first history that breaks the books
#:
#: Needs no copy. N random walks (20000) from seed S (1) on, through losses, splits, crashes and late answers;
#: then the short histories of a tiny sale with one fault, all of them. What breaks is shortened, and told step by step; the
#: seed alone brings it back (--walks 1). Exit 0 when all holds, 1 when something breaks.
#:
#:   --without RULE   leaves one rule out, to see why it is there; docs/spec/README.md has the rules
# shellcheck shell=bash

source "$LIB/jdk.sh"
source "$LIB/parts.sh"
source "$LIB/build.sh"

verb_spec() {
  local walks=20000 seed=1 rule=()
  while (($#)); do
    need_value "$1" $#
    case $1 in
      --walks) need_number "$1" "$2" 1 100000000; walks=$2 ;;
      --seed) need_number "$1" "$2" 0 999999999999; seed=$2 ;;
      --without) need_rule "$2"; rule=("$2") ;;
      *) misuse "unknown word '$1'" ;;
    esac
    shift 2
  done
  find_jdk
  build_if_stale >&2
  "$JAVA/bin/java" -Xmx1g -XX:+UseSerialGC -jar "$SPEC_JAR" "$walks" "$seed" "${rule[@]}"
}

need_rule() { [[ " $(rules) " == *" $1 "* ]] || misuse "there is no rule '$1'; there are: $(rules)"; }

rules() { sed -n 's/^    \([A-Z_]*\)(.*/\1/p' "$REPO/docs/spec/src/main/java/io/seckill/spec/Rule.java" | xargs; }
