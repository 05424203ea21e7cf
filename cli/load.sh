#: usage: ./seckill load NAME [--rate R] [--stock N] [--users U] [--duration TIME] [--generator k6|builtin] [--keep] | load check REPORT
#: lets a crowd loose on this copy, and compares what it was told with the books
#:
#: NAME is a script of load/ without its number; load/README.md says what each crowd does and when it holds.
#: It buys from a synthetic sale of its own, which no buyer's list shows, with the limits raised as far as it
#: needs; both are put back at the end, also at Ctrl-C. The reports are below SECKILL_HOME/reports. Exit 1 when
#: a threshold or the books do not hold.
#:
#:   --rate R         arrivals per second; --users U: how many different ones; --duration: 30s, 5m, 1h
#:   --stock N        units of the sale
#:   --generator G    k6 (built by Go 1.25 or newer, once, or the one on the PATH), or the built-in one
#:   --keep           keeps the sale; load check REPORT then judges the run again by the books of that moment
# shellcheck shell=bash

source "$LIB/load.sh"
source "$LIB/k6.sh"

verb_load() {
  local words=() generator=
  [[ -n ${1:-} ]] || misuse "NAME is missing; there are: $(scenarios)"
  if [[ $1 == check ]]; then
    (($# == 2)) || misuse 'check wants one REPORT'
    load_program load check "$(realpath -m "$2")"
    return
  fi
  [[ " $(scenarios) " == *" $1 "* ]] || misuse "there is no scenario '$1'; there are: $(scenarios)"
  words=("$1")
  shift
  read_words "$@"
  [[ " ${words[*]} " != *" --users "* || ${words[0]} =~ ^(steady|spike|sold-out)$ ]] ||
    misuse "--users is nothing that ${words[0]} knows: each of its arrivals is another one"
  need_copy
  choose_generator
  [[ ! -t 2 ]] || export SECKILL_TERMINAL=1
  load_program load "${words[@]}"
}

scenarios() {
  printf '%s\n' "$REPO"/load/0*.js | sed 's/.*\/0[0-9]-\(.*\)\.js/\1/' | xargs
}

# Into the caller's `words` and `generator`.
read_words() {
  while (($#)); do
    [[ $1 != --keep ]] || { words+=(--keep); shift; continue; }
    need_value "$1" $#
    case $1 in
      --rate) need_number "$1" "$2" 1 100000; words+=("$1" "$2") ;;
      --users) need_number "$1" "$2" 1 1000000; words+=("$1" "$2") ;;
      --stock) need_number "$1" "$2" 1 1000000000; words+=("$1" "$2") ;;
      --duration) seconds_of "$2"; words+=("$1" "$SECONDS_ASKED") ;;
      --generator) [[ $2 == k6 || $2 == builtin ]] || misuse "--generator '$2' is neither k6 nor builtin"; generator=$2 ;;
      *) misuse "unknown word '$1'" ;;
    esac
    shift 2
  done
}

# Into SECONDS_ASKED.
seconds_of() {
  [[ $1 =~ ^([1-9][0-9]{0,5})(s|m|h)$ ]] || misuse "--duration '$1' is not a time like 30s, 5m or 1h"
  local -A unit=([s]=1 [m]=60 [h]=3600)
  SECONDS_ASKED=$((BASH_REMATCH[1] * ${unit[${BASH_REMATCH[2]}]}))
  ((SECONDS_ASKED <= 604800)) || misuse "--duration '$1' is longer than a week"
}

choose_generator() {
  [[ $generator != builtin ]] || return 0
  find_k6
  if [[ -n $K6 ]]; then
    words+=(--k6 "$K6")
  elif [[ $generator == k6 ]]; then
    die "$K6_WHY"
  else
    say "$K6_WHY; the built-in generator goes instead"
  fi
}
