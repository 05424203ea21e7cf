# One copy = one data folder, SECKILL_HOME, that carries our marker file with what it remembers.
# shellcheck shell=bash

HOME_DIR=$(realpath -m "${SECKILL_HOME:-$REPO/.run}")
MARKER=$HOME_DIR/.seckill # lines `port=N`, `shards=N`, `layout=N`
LAYOUT=8                  # of the data in the stores; one more when an older one cannot be read any more

remembered() { # KEY: what an earlier `up` wrote, empty when there was none
  [[ ! -f $MARKER ]] || sed -n "s/^$1=//p" "$MARKER"
}

copy_exists() { [[ -f $MARKER ]]; }

# A verb that talks to the parts: there is a copy, and it is the one on the port that is asked for.
need_copy() {
  copy_exists || die "there is no copy in $HOME_DIR; run ./seckill up first"
  [[ $(remembered port) == "$PORT" ]] ||
    die "the copy in $HOME_DIR has port $(remembered port), not SECKILL_PORT $PORT; unset that, or set SECKILL_HOME too"
}

# A folder with files but no marker is somebody else's: neither filled nor deleted.
refuse_foreign_home() {
  [[ -d $HOME_DIR ]] && ! copy_exists && [[ -n $(ls -A "$HOME_DIR") ]] || return 0
  die "$HOME_DIR has files but none of ours (no .seckill); set SECKILL_HOME to another folder"
}

# Both paths stand in nginx's, MariaDB's and RocketMQ's configuration and in a class path.
refuse_odd_paths() {
  local path
  for path in "$REPO" "$HOME_DIR"; do
    [[ $path != *[!A-Za-z0-9/._+@=,\ -]* ]] ||
      die "$path: the path of the clone and of SECKILL_HOME may have letters, digits, space and /._+@=,- only"
  done
  ((${#HOME_DIR} <= 94)) || # and /mariadb/sock: a socket's path has 107 characters at most
    die "$HOME_DIR is longer than the 94 characters a data folder's path may have; set a shorter SECKILL_HOME"
}

remember() {
  printf 'port=%s\nshards=%s\nlayout=%s\n' "$PORT" "$SHARDS" "$LAYOUT" >"$MARKER.new" && mv "$MARKER.new" "$MARKER"
}

# Data of another build: its services would park or misread what this one's wrote.
refuse_other_layout() {
  local found
  found=$(remembered layout)
  ! copy_exists || [[ ${found:-1} == "$LAYOUT" ]] ||
    die "the data in $HOME_DIR has layout ${found:-1}, this build reads $LAYOUT; run ./seckill down --wipe (deletes it), or set SECKILL_HOME"
}

# One up/down/restart at a time per copy. The lock is the folder itself, so that `down --wipe`
# leaves nothing; whoever waited on a folder that was wiped meanwhile takes the new one.
lock_copy() {
  local try
  for try in 1 2 3; do
    { mkdir -p "$HOME_DIR" 2>/dev/null && [[ -w $HOME_DIR ]]; } ||
      die "you may not write $HOME_DIR; set SECKILL_HOME to a folder you may write"
    exec 9<"$HOME_DIR"
    flock -n 9 || {
      step "another ./seckill works on $HOME_DIR; waiting for it, 5 minutes at most"
      flock -w 300 9 || die "the other ./seckill still works on $HOME_DIR after 5 minutes; try again"
    }
    [[ ! $HOME_DIR -ef /proc/self/fd/9 ]] || return 0
    step "$HOME_DIR was wiped meanwhile (attempt $try)"
  done
  die "$HOME_DIR keeps being wiped by another ./seckill; try again"
}
