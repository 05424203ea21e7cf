#: usage: ./seckill down [--wipe]
#: stops every part of this copy; the data stays
#:
#:   --wipe   deletes the data too: SECKILL_HOME with sales, orders, queues, secrets and logs
# shellcheck shell=bash

source "$LIB/secrets.sh"
source "$LIB/parts.sh"

verb_down() {
  local wipe=
  case ${1:-} in
    '') ;;
    --wipe) wipe=1; shift ;;
  esac
  (($# == 0)) || misuse "unknown word '$1'"
  refuse_foreign_home
  [[ -d $HOME_DIR ]] || { say "nothing to stop: $HOME_DIR does not exist"; return 0; }
  lock_copy
  refuse_foreign_home
  if [[ -n $wipe ]]; then wipe_copy; else stop_copy; fi
  step "down"
}

stop_copy() {
  local wave
  for wave in "${STOP_WAVES[@]}"; do
    # shellcheck disable=SC2046 # one word per part
    stop_parts $(parts | grep -xE "$wave")
  done
}

# No goodbye to the parts, for what they would save is deleted. Only a folder with our marker, and the
# marker last: a wipe cut short can be repeated.
wipe_copy() {
  local part
  copy_exists || { rmdir "$HOME_DIR"; return 0; }
  for part in $(parts); do kill_rest "$part"; done
  step "deleting $HOME_DIR"
  find "$HOME_DIR" -mindepth 1 ! -path "$MARKER" -delete
  rm -f "$MARKER"
  rmdir "$HOME_DIR"
}
