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
    sale | buy | pay | token | limits | audit | shard) in_container "$@" ;;
    status) (($# == 1)) || compose_misuse "unknown word '$2'"; compose_status ;;
    logs) compose_logs "${@:2}" ;;
    '') compose_misuse 'VERB is missing' ;;
    *) compose_misuse "'$verb' is no verb for containers" ;;
  esac
}

compose_misuse() {
  warn "$*; usage: ./seckill --compose sale|buy|pay|token|limits|audit|shard|status|logs [...]"
  exit 2
}

in_container() {
  [[ -n $(compose ps -q edge 2>/dev/null) ]] || die 'no containers are there; run docker compose up -d first'
  compose run --rm --no-deps -T -e "SECKILL_OPERATOR=$(id -un)@${HOSTNAME%%.*}" cli "$@" </dev/null
}

# A table of part, state, health, memory; fails when a part is not healthy. The jobs are done, or failed.
compose_status() {
  local ids sick=0 id part state code health memory
  read -rd '' -a ids < <(compose ps -q) || true
  ((${#ids[@]})) || die 'no containers are there; run docker compose up -d first'
  printf '%-11s %-10s %-10s %s\n' part state healthy memory
  while read -r id part state code health; do
    case $state$code$health in
      exited0-) health='done' ;;
      running0healthy) health=yes ;;
      *) health=no sick=1 ;;
    esac
    memory=$(docker stats --no-stream --format '{{.MemUsage}}' "$id" 2>/dev/null) || memory=-
    printf '%-11s %-10s %-10s %s\n' "$part" "$state" "$health" "${memory%% /*}"
  done < <(part_states "${ids[@]}" | sort -k 2)
  return "$sick"
}

part_states() { # CONTAINER...
  docker inspect -f '{{.Id}} {{index .Config.Labels "com.docker.compose.service"}} {{.State.Status}} {{.State.ExitCode}} {{if .State.Health}}{{.State.Health.Status}}{{else}}-{{end}}' "$@"
}

compose_logs() {
  local part=${1:-} follow=()
  [[ -n $part ]] || compose_misuse 'PART is missing'
  compose config --services | grep -qx -- "$part" ||
    compose_misuse "unknown part '$part'; parts: $(compose config --services | sort | tr '\n' ' ')"
  [[ ${2:-} != -f ]] || { follow=(-f); set -- "$1"; }
  (($# == 1)) || compose_misuse "unknown word '$2'"
  compose logs --tail 100 "${follow[@]}" "$part"
}
