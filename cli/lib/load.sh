# The program behind load, bench and rehearse.
# shellcheck shell=bash

source "$LIB/jdk.sh"
source "$LIB/secrets.sh"
source "$LIB/parts.sh"
source "$LIB/build.sh"

# load_program WORDS...: on the copy in HOME_DIR, in the foreground: Ctrl-C reaches it, and it tidies up.
load_program() {
  need_copy
  find_jdk
  build_if_stale
  service_environment
  SECKILL_DB_PASSWORD=$(db_password) env "${SERVICE_ENV[@]}" SECKILL_COMMAND="$REPO/seckill" \
    "$JAVA/bin/java" -Xmx1g -XX:+UseParallelGC -XX:+PerfDisableSharedMem -jar "$LOAD_JAR" "$@"
}
