#: usage: ./seckill status
#: a table of part, pid, port, healthy, memory, and the shards that are set so that they could forget units; exit 1
#: when there is such a shard or a part is not healthy
# shellcheck shell=bash

source "$LIB/secrets.sh"
source "$LIB/parts.sh"

verb_status() {
  (($# == 0)) || misuse "unknown word '$1'"
  need_copy
  local part pid ok memory fault total=0 sick=0
  printf '%-11s %8s %6s %-8s %10s\n' part pid port healthy 'memory MB'
  for part in $(parts); do
    pid=$(pid_of "$part") || pid=-
    ok=yes
    healthy "$part" || { ok=no; sick=1; }
    memory=$(memory_of "$part")
    total=$((total + memory))
    printf '%-11s %8s %6s %-8s %10s\n' "$part" "$pid" "$(port_of "$part")" "$ok" "$memory"
  done
  printf '%-11s %35s\n' total "$total"
  while IFS= read -r fault; do
    printf 'could forget units: %s\n' "$fault"
    sick=1
  done < <(shard_faults)
  return "$sick"
}

# As stock-service saw them a few seconds ago; nothing where it does not answer, which the table tells.
shard_faults() {
  curl -q --noproxy '*' -s --max-time 2 "http://127.0.0.1:$(port_of stock)/actuator/health" |
    jq -r '.components.shardFaults.details // {} | to_entries[] | "\(.key), \(.value)"' 2>/dev/null
}
