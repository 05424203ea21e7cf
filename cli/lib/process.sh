# Processes of this copy: starting, finding, stopping, and telling ours from everybody else's.
# shellcheck shell=bash
#
# Each part has a folder $HOME_DIR/PART with `pid`, `log` and its data, runs with that folder (or one
# below) as its working directory, and leads a process group of its own. A pid file may be stale and
# its number reused after a reboot: a process is ours only while its working directory says so.

folder_of() { echo "$HOME_DIR/$1"; }
# nginx writes its own.
log_of() { if [[ $1 == edge ]]; then echo "$HOME_DIR/edge/error.log"; else echo "$HOME_DIR/$1/log"; fi; }

# is_ours PART PID: alive and working in the part's folder.
is_ours() {
  local cwd
  cwd=$(readlink "/proc/$2/cwd" 2>/dev/null) || return 1
  [[ $cwd/ == "$(folder_of "$1")/"* ]]
}

# pid_of PART: prints the pid of the running part; fails when it does not run.
pid_of() {
  local pid
  read -r pid 2>/dev/null <"$(folder_of "$1")/pid" || return 1
  [[ $pid =~ ^[0-9]+$ ]] && is_ours "$1" "$pid" && echo "$pid"
}

# group_of PART: the pids of the part's process group that are ours: the leader, its workers, and
# workers that a killed leader left behind (they would keep its port).
group_of() {
  local leader stat line
  read -r leader 2>/dev/null <"$(folder_of "$1")/pid" || return 0
  for stat in /proc/[0-9]*/stat; do
    read -r line 2>/dev/null <"$stat" || continue
    local after=${line##*) } pid=${line%% *}
    # after: state, parent, group
    read -r _ _ group _ <<<"$after"
    [[ $group != "$leader" ]] || ! is_ours "$1" "$pid" || echo "$pid"
  done
}

# memory_of PART: resident megabytes of its process group.
memory_of() {
  local pid files=()
  for pid in $(group_of "$1"); do files+=("/proc/$pid/status"); done
  cat "${files[@]}" /dev/null 2>/dev/null | awk '/^VmRSS/ { kb += $2 } END { printf "%d", kb / 1024 }'
}

# launch PART COMMAND...: in the part's folder, in its own session, the last log kept as log.1, with an
# empty folder `tmp` for its temporary files: what a kill leaves there goes with the next start. It holds
# none of our files open: not our locks, not the pipe of whoever waits for our output.
launch() {
  local part=$1 dir
  shift
  dir=$(folder_of "$part")
  mkdir -p "$dir"
  [[ ! -f $dir/log ]] || mv "$dir/log" "$dir/log.1"
  rm -rf "$dir/tmp"
  mkdir "$dir/tmp"
  # In the folder before the fork, or the newborn would not yet count as ours.
  (
    cd "$dir" || exit
    TMPDIR=$dir/tmp setsid "$@" >>log 2>&1 </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
    echo $! >pid
  )
}

# stop_part PART SECONDS: asks, waits, then kills; also what a killed leader left behind.
stop_part() {
  local part=$1 limit=$2 pid tenth
  if pid=$(pid_of "$part"); then
    kill -TERM "$pid" 2>/dev/null || true
    for ((tenth = 0; tenth < limit * 10; tenth++)); do
      is_ours "$part" "$pid" || break
      sleep 0.1
    done
    ! is_ours "$part" "$pid" || warn "$part (pid $pid) did not stop in $limit s: killed"
  fi
  kill_rest "$part"
  rm -f "$(folder_of "$part")/pid"
}

# Returns when they are gone, for until then they hold ports and write files.
kill_rest() {
  local pids _
  for _ in {1..50}; do
    pids=$(group_of "$1")
    [[ -n $pids ]] || return 0
    # shellcheck disable=SC2086 # a list of numbers
    kill -KILL $pids 2>/dev/null || true
    sleep 0.1
  done
  die "$1: pids $(tr '\n' ' ' <<<"$pids")do not die; they may hang on a disk"
}

# port_open PORT: somebody accepts connections on loopback.
port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# owner_of_port PORT: " (name, pid N)" where `ss` may tell, else nothing.
owner_of_port() {
  command -v ss >/dev/null || return 0
  ss -ltnpH "sport = :$1" 2>/dev/null |
    sed -n 's/.*users:(("\([^"]*\)",pid=\([0-9]*\).*/ (\1, pid \2)/p' | head -1
}
