#: usage: ./seckill status
#: a table of part, pid, port, healthy, memory; exit 1 when a part is not healthy
# shellcheck shell=bash

source "$LIB/secrets.sh"
source "$LIB/parts.sh"

verb_status() {
  (($# == 0)) || misuse "unknown word '$1'"
  need_copy
  local part pid ok memory total=0 sick=0
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
  return "$sick"
}
