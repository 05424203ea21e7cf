# The program behind load, bench, faults and rehearse.
# shellcheck shell=bash

source "$LIB/jdk.sh"
source "$LIB/secrets.sh"
source "$LIB/parts.sh"
source "$LIB/build.sh"

# load_check WORDS...: ends with 2 on wrong ones, before anything is started for them.
load_check() {
  find_jdk
  build_if_stale >&2
  load_java check "$@" || exit
}

# load_program WORDS...: on the copy in HOME_DIR, in the foreground: Ctrl-C reaches it, and it tidies up.
load_program() {
  need_copy
  # Two runs would put back each other's limits. The program inherits the lock and holds it to its end.
  exec 7>"$HOME_DIR/load-lock"
  flock -n 7 || die "another load, bench, faults or rehearse works on $HOME_DIR; wait for it"
  find_jdk
  build_if_stale >&2
  service_environment
  SECKILL_DB_PASSWORD=$(db_password) load_java "$@"
}

# The tokens of a million users are 250 MB.
load_java() {
  env "${SERVICE_ENV[@]}" SECKILL_COMMAND="$REPO/seckill" \
    "$JAVA/bin/java" -Xmx1g -XX:+UseParallelGC -XX:+PerfDisableSharedMem -jar "$LOAD_JAR" "$@"
}
