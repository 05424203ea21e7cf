# Words to the operator, checks of arguments, and where this copy lives.
# shellcheck shell=bash

PATH=$PATH:/usr/sbin:/sbin # a plain user's PATH lacks nginx and mariadbd

say() { printf '%s\n' "$*"; }
warn() { printf 'seckill: %s\n' "$*" >&2; }
die() { warn "$*"; exit 1; }

help_of() { sed -n 's/^#: \{0,1\}//p' "$1"; }

# A misuse: what is wrong, the verb's usage line, exit 2.
misuse() {
  warn "$*; $(help_of "$VERB_FILE" | head -1)"
  exit 2
}

is_product() { [[ $1 =~ ^[1-9][0-9]{0,17}$ ]]; }
is_user() { [[ $1 =~ ^[A-Za-z0-9_.@-]{1,64}$ ]]; }

need_product() { is_product "$1" || misuse "PRODUCT '$1' is not a number of 1 to 18 digits"; }
need_user() { is_user "$1" || misuse "USER '$1' is not 1 to 64 of A-Z a-z 0-9 _ . @ -"; }

# need_number NAME VALUE MIN MAX: decimal digits only, no sign, no leading zero.
need_number() {
  if [[ ! $2 =~ ^(0|[1-9][0-9]{0,17})$ ]] || (($2 < $3 || $2 > $4)); then
    misuse "$1 '$2' is not a whole number from $3 to $4"
  fi
}

# need_value OPTION COUNT: the option is followed by something.
need_value() { (($2 >= 2)) || misuse "$1 wants a value"; }

# Seconds since this command started, for progress lines.
elapsed() { printf '%3d s' "$SECONDS"; }
step() { say "[$(elapsed)] $*"; }

# shown LOG COMMAND...: runs it into the log, and every 5 s says what it is at. The command leads a
# process group, which ends with us however we end.
shown() {
  local log=$1 tick=0 code=0
  shift
  set -m # a process group for the job
  "$@" >"$log" 2>&1 </dev/null 7>&- 8>&- 9>&- &
  JOB=$!
  set +m
  while kill -0 "$JOB" 2>/dev/null; do
    sleep 0.5
    ((++tick % 10)) || step "  … $(doing "$log")"
  done
  wait "$JOB" || code=$?
  JOB=
  return "$code"
}

# The module Maven builds, the package apt handles, the test bats ran.
doing() {
  grep -oE 'Building [a-z-]+ [0-9.]+ +\[[0-9/]+\]|Running [A-Za-z.]+|Get:[0-9]+ .*|(Unpacking|Setting up) [^ ]+|^ok [0-9]+ .*' "$1" |
    tail -n 1 | tr -s ' ' | cut -c1-90
}

JOB=       # the command `shown` runs
AT_EXIT=:  # what else must be undone, however we end

undo_at_exit() { AT_EXIT=$1; }

# An impatient second Ctrl-C must not cut it short; and it is seen, wherever the output went just then.
at_exit() {
  trap '' INT TERM HUP
  exec >&5 2>&6
  [[ -z $JOB ]] || kill -TERM -- "-$JOB" 2>/dev/null || true
  "$AT_EXIT"
}
exec 5>&1 6>&2
trap at_exit EXIT
trap 'exit 130' INT TERM HUP

source "$LIB/copy.sh"
source "$LIB/ports.sh"
