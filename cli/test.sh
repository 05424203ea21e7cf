#: usage: ./seckill test [--long]
#: runs all tests beside a running copy, on own ports and in an own folder
#:
#: Shell (shellcheck), edge (lua/test), every module with its real parts (Maven), then a copy of its own:
#: the command line (bats) and the black-box runs. The copy is .run-test on the ports from
#: SECKILL_TEST_PORT on (default 18080) and is wiped at the end; logs stay in target/test-logs.
#: A test that fails has a second try: "Run 1:" or "second try:" tells of those that needed it, and their
#: number stands before the last line, which is "N passed, N failed"; exit 1 when something failed.
#: --long: also those that need more time or more processes than half an hour has; before a release.
# shellcheck shell=bash

source "$LIB/jdk.sh"
source "$LIB/secrets.sh"
source "$LIB/parts.sh"
source "$LIB/build.sh"
source "$LIB/install.sh"

TEST_LOGS=$REPO/target/test-logs
LONG=false
TEST_LIMIT_S=2400 # one stage, on a machine that has a fraction of its CPU
# A module's tests run for a minute: what the second compiler and a parallel collector cost does not come back.
TEST_JVM="-XX:+UseSerialGC -XX:+UseTransparentHugePages -XX:TieredStopAtLevel=1"
PASSED=0
FAILED=0
AGAIN=0 # passed at the second try

verb_test() {
  local word
  for word in "$@"; do
    [[ $word == --long ]] || misuse "unknown word '$word'"
    LONG=true TEST_LIMIT_S=7200
  done
  find_jdk
  install_missing "$NEEDED$NEEDED_BY_TESTS$(needed_by_edge)"
  mkdir -p "$REPO/target"
  exec 7>"$REPO/target/test-lock"
  flock -n 7 || die "another ./seckill test runs in $REPO; wait for it"
  export SECKILL_HOME=$REPO/.run-test SECKILL_PORT=${SECKILL_TEST_PORT:-18080}
  rm -rf "$TEST_LOGS"
  mkdir -p "$TEST_LOGS"
  TEST_TMP=$(mktemp -d) # of all the tests, also of those that are killed
  undo_at_exit clean_up
  export TMPDIR=$TEST_TMP
  wipe_test_copy
  run_stages
  ((AGAIN == 0)) || say "$AGAIN passed only at the second try"
  say "$PASSED passed, $FAILED failed"
  ((FAILED == 0))
}

run_stages() {
  stage shell lint_shell
  [[ ! -x $REPO/lua/test ]] || stage edge "$REPO/lua/test"
  stage modules verify_modules
  stage up "$REPO/seckill" up
  ((FAILED_STAGE == 0)) || return 0
  stage cli bats --timing --print-output-on-failure "$REPO/cli/test"
  stage blackbox verify_copy
  stage leftovers no_process_left
}

# stage NAME COMMAND...: into its log, with progress; then the runner's closing lines and the counts.
stage() {
  local name=$1 log=$TEST_LOGS/$1.log
  shift
  step "test: $name"
  FAILED_STAGE=0
  shown "$log" "$@" || FAILED_STAGE=1
  closing_lines "$log"
  count_results "$log"
  ((FAILED_STAGE == 0)) || keep_evidence "$name" "$log"
}

closing_lines() {
  grep -E '^(not ok|first try: not ok|# second try|1\.\.[0-9]|\[(INFO|WARNING|ERROR)\] (Tests run:.*[0-9]$|BUILD)|\[ERROR\]   [^ ]|shop:)' "$1" |
    tail -n 60 || true
}

# Maven's summary per module, TAP of all others.
count_results() {
  local passed failed again
  read -r passed failed again < <(awk '
    /^\[[A-Z]+\] (\x1b\[[0-9;]*m)*Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+(, Flakes: [0-9]+)?$/ {
      gsub(/[^0-9 ]/, ""); bad = $2 + $3; ok += $1 - bad - $4; no += bad; again += $5 }
    /^# second try: / { again++; second = 1 }
    /^ok / { ok++; second = 0 }
    /^not ok / { no++; again -= second; second = 0 }
    END { print ok + 0, no + 0, again + 0 }' "$1")
  ((failed > 0 || FAILED_STAGE == 0)) || failed=1 # a stage that broke without a count
  ((failed == 0)) || FAILED_STAGE=1
  PASSED=$((PASSED + passed))
  FAILED=$((FAILED + failed))
  AGAIN=$((AGAIN + again))
}

# The copy is about to be wiped: its logs are what explains the failure.
keep_evidence() {
  local log
  tail -n 30 "$2" >&2
  for log in "$SECKILL_HOME"/*/log "$SECKILL_HOME"/*/error.log; do
    [[ ! -f $log ]] || cp "$log" "$TEST_LOGS/$1-$(basename "$(dirname "$log")")-$(basename "$log")"
  done
  warn "$1 failed; read $2 and the parts' logs beside it"
}

lint_shell() {
  local file
  cd "$REPO" || exit
  for file in seckill .ci/run .ci/commits nginx/render lua/test docker/* test/compose test/compose-tests.sh \
    test/images/crowd test/images/mariadb-entrypoint \
    deploy/kubernetes/validate cli/*.sh cli/lib/*.sh cli/test/*.bats; do
    if [[ ! -f $file ]]; then
      continue
    elif shellcheck -x -P cli/lib "$file"; then
      echo "ok $file has nothing shellcheck warns of"
    else
      echo "not ok $file: see above"
    fi
  done
}

# Without the environment of the test copy: these tests start their own private parts. They wait more than
# they work, so two modules go side by side.
verify_modules() {
  local stamp
  exec 8>"$REPO/target/build-lock" # an `up` beside must not copy half a jar
  flock -w "$TEST_LIMIT_S" 8 || die "another build of $REPO goes on for $TEST_LIMIT_S s; try again"
  stamp=$(sources)
  if (unset SECKILL_HOME SECKILL_PORT && maven -T 2 -fae -pl '!test' verify); then
    echo "$stamp" >"$BUILD_STAMP"
  else # a run that was cut off leaves its parts, which would keep the next stage's copy from coming up
    end_processes_left
    return 1
  fi
}

# -am brings the modules' classes along; their own tests have run already, so only those of test/ are
# selected (all of them: its packages are named here).
verify_copy() {
  maven -pl test -am verify \
    -Dtest='io.seckill.architecture.*Test' -Dit.test='io.seckill.blackbox.*IT' \
    -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
}

# Every part that a test starts works in a folder below $TEST_TMP, and every JVM has its temporary files there: a
# line "/proc/PID" for each that runs.
processes_left() {
  local process
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/cwd") == "$TEST_TMP"/* ]] ||
      grep -qsF -- "-Djava.io.tmpdir=$TEST_TMP" "$process/cmdline"; then
      echo "$process"
    fi
  done
}

no_process_left() {
  local process left=0
  for process in $(processes_left); do
    echo "not ok no process is left: $process is $(tr '\0' ' ' <"$process/cmdline" | cut -c1-200) in $(readlink "$process/cwd")"
    left=1
  done
  ((left)) || echo "ok no process is left"
}

# Twice: a JVM of Maven's that has lost its parent goes on with its tests, and may have started a part meanwhile.
end_processes_left() {
  local process
  for _ in 1 2; do
    for process in $(processes_left); do
      kill -9 "${process#/proc/}" 2>/dev/null || true # it may have ended by itself
    done
  done
}

# In the foreground: a `timeout` with a process group of its own would outlive an interrupted test.
maven() {
  MAVEN_OPTS="${MAVEN_OPTS:-} -Djava.io.tmpdir=$TEST_TMP" JAVA_HOME=$BUILD_JAVA \
    timeout --foreground "$TEST_LIMIT_S" mvn -B -ntp -Dstyle.color=never -Dseckill.long="$LONG" \
    -DargLine="$TEST_JVM -Djava.io.tmpdir=$TEST_TMP" -f "$REPO/pom.xml" "$@"
}

clean_up() {
  wipe_test_copy
  end_processes_left
  rm -rf "$TEST_TMP"
}

wipe_test_copy() { "$REPO/seckill" down --wipe >/dev/null || warn "could not remove $SECKILL_HOME"; }
