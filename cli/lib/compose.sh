# The verbs against the containers of docker-compose.yml: most run in one beside them, which has what they need.
# shellcheck shell=bash

# compose WORDS...: version 2 where Docker has it.
compose() {
  local command=(docker-compose)
  ! docker compose version >/dev/null 2>&1 || command=(docker compose)
  command -v "${command[0]}" >/dev/null || die 'neither "docker compose" nor docker-compose is there; install one'
  (cd "$REPO" && "${command[@]}" "$@")
}

compose_verb() {
  local verb=${1:-}
  case $verb in
    sale | buy | pay | token | limits | audit | shard | parked) in_container "$@" ;;
    status) (($# == 1)) || compose_misuse "unknown word '$2'"; compose_status ;;
    logs) compose_logs "${@:2}" ;;
    load) compose_load "${@:2}" ;;
    '') compose_misuse 'VERB is missing' ;;
    *) compose_misuse "'$verb' is no verb for containers" ;;
  esac
}

compose_misuse() {
  warn "$*; usage: ./seckill --compose sale|buy|pay|token|limits|audit|shard|parked|status|logs|load [...]"
  exit 2
}

# The project of .env or of the shell, as compose spells it; compose itself needs a second to tell.
project() {
  local name=${COMPOSE_PROJECT_NAME:-$(sed -n 's/^COMPOSE_PROJECT_NAME=//p' "$REPO/.env")}
  name=${name:-${REPO##*/}}
  tr -cd 'a-z0-9_-' <<<"${name,,}"
}

# containers FORMAT: of the deployment, also those that stopped, without those that verbs run in; fails when there is none.
containers() {
  local found
  command -v docker >/dev/null || die 'docker is not there; install it'
  found=$(docker ps -a --no-trunc --format "$1" --filter "label=com.docker.compose.project=$(project)" \
    --filter label=com.docker.compose.oneoff=False) || die 'the engine cannot be asked, see above'
  [[ -n $found ]] || die 'no containers are there; run docker compose up -d first'
  printf '%s\n' "$found"
}

in_container() {
  containers '{{.ID}}' >/dev/null
  compose run --rm --no-deps -T -e "SECKILL_OPERATOR=$(id -un)@${HOSTNAME%%.*}" cli "$@" </dev/null
}

# A table of part, health, memory; fails when a part is not healthy, or not there. The jobs are done, or failed.
compose_status() {
  local found memories sick=0 id part status health memory
  found=$(containers '{{.Label "com.docker.compose.service"}} {{.ID}} {{.Status}}')
  # shellcheck disable=SC2046 # one word per container
  memories=$(docker stats --no-stream --no-trunc --format '{{.ID}} {{.MemUsage}}' $(cut -d' ' -f2 <<<"$found")) || true
  printf '%-11s %-8s %-10s %s\n' part healthy memory status
  while read -r part id status; do
    case "$part $status" in
      init\ 'Exited (0)'* | demo\ 'Exited (0)'*) health='done' ;;
      *'(healthy)') health=yes ;;
      *) health=no sick=1 ;;
    esac
    memory=$(sed -n "s|^$id \(.*\) / .*|\1|p" <<<"$memories")
    printf '%-11s %-8s %-10s %s\n' "$part" "$health" "$memory" "$status"
  done < <(sort <<<"$found")
  while read -r part; do
    printf '%-11s %-8s %-10s %s\n' "$part" no - 'there is no such container'
    sick=1
  done < <(compose config --services | grep -vx cli | sort | comm -13 <(cut -d' ' -f1 <<<"$found" | sort) -)
  return "$sick"
}

compose_logs() {
  local part=${1:-} follow=() parts
  [[ -n $part ]] || compose_misuse 'PART is missing'
  parts=$(compose config --services | sort | tr '\n' ' ') # whole: compose fails when nobody reads its last lines
  [[ " $parts" == *" $part "* ]] || compose_misuse "unknown part '$part'; parts: $parts"
  [[ ${2:-} != -f ]] || { follow=(-f); set -- "$1"; }
  (($# == 1)) || compose_misuse "unknown word '$2'"
  compose logs --tail 100 "${follow[@]}" "$part"
}

LOAD_STOCK=500

# A crowd of load/ on a synthetic sale of its own, judged by k6's thresholds and the books; the sale goes at
# the end. Limits of the deployment stay as they are.
compose_load() { # NAME [--rate R] [--stock N] [--users U] [--duration TIME]
  local script words=() stock=$LOAD_STOCK code=0
  script=$(crowd_script "${1:-}") || compose_misuse "there is no crowd '${1:-}'; there are: $(crowds)"
  shift
  while (($#)); do
    (($# >= 2)) || compose_misuse "$1 wants a value"
    case $1 in
      --rate) is_count "$2" || compose_misuse "--rate '$2' is no number"; words+=(-e "RATE=$2") ;;
      --users) is_count "$2" || compose_misuse "--users '$2' is no number"; words+=(-e "USERS=$2") ;;
      --duration) [[ $2 =~ ^[1-9][0-9]{0,5}[smh]$ ]] || compose_misuse "--duration '$2' is not a time like 30s, 5m or 1h"; words+=(-e "DURATION=$2") ;;
      --stock) is_count "$2" || compose_misuse "--stock '$2' is no number"; stock=$2 ;;
      *) compose_misuse "unknown word '$1'" ;;
    esac
    shift 2
  done
  LOAD_PRODUCT=$((RANDOM * 32768 + RANDOM + 1000000000))
  in_container sale create "$LOAD_PRODUCT" --stock "$stock" --synthetic
  undo_at_exit remove_load_sale
  compose -f docker-compose.yml -f compose.load.yml run --rm --no-deps -T \
    -e "PRODUCT=$LOAD_PRODUCT" -e "STOCK=$stock" "${words[@]}" k6 run --quiet "/seckill/load/$script" </dev/null || code=$?
  in_container audit "$LOAD_PRODUCT" || code=1
  return "$code"
}

is_count() { [[ $1 =~ ^[1-9][0-9]{0,8}$ ]]; }

remove_load_sale() { in_container sale remove "$LOAD_PRODUCT"; }

crowds() { printf '%s\n' "$REPO"/load/0*.js | sed 's/.*\/0[0-9]-\(.*\)\.js/\1/' | xargs; }

crowd_script() { # NAME
  [[ $1 =~ ^[a-z-]+$ ]] && (cd "$REPO/load" && compgen -G "0?-$1.js")
}
