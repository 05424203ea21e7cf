# The build: Maven, only when a source is newer than what was built, with its progress shown.
# shellcheck shell=bash

BUILD_STAMP=$REPO/target/build-stamp
LOAD_JAR=$REPO/load/target/load.jar
SPEC_JAR=$REPO/docs/spec/target/spec.jar
BUILD_LIMIT_S=1200 # a first build downloads a few hundred jars

# Name, size and time of every file the jars are made of.
sources() {
  (cd "$REPO" && find pom.xml contracts service-common testkit message-rocketmq shard-store rate-limit ./*-service broker docs/spec load \
    -type f ! -path '*/target/*' ! -path '*/src/test/*' ! -name '*.js' -printf '%p %s %T@\n' | sort | sha256sum)
}

built() {
  local part
  [[ -s $REPO/broker/target/classpath.txt && -f $LOAD_JAR && -f $SPEC_JAR ]] || return 1
  for part in "${SERVICES[@]}"; do [[ -f $(app_of "$part")/app.jar ]] || return 1; done
  [[ $(cat "$BUILD_STAMP" 2>/dev/null) == "$(sources)" ]]
}

# Two copies of one checkout share its target folders: one builds, the other waits and finds it done.
build_if_stale() {
  ! built || return 0
  mkdir -p "$REPO/target"
  exec 8>"$REPO/target/build-lock"
  flock -w "$BUILD_LIMIT_S" 8 || die "another build of $REPO goes on for $BUILD_LIMIT_S s; try again"
  built || build
  exec 8>&-
}

build() {
  command -v mvn >/dev/null || die "mvn is not on the PATH; install it (apt-get install maven)"
  local log=$REPO/target/build-log stamp
  stamp=$(sources)
  step "building with $BUILD_JAVA; everything Maven says is in $log"
  JAVA_HOME=$BUILD_JAVA shown "$log" timeout "$BUILD_LIMIT_S" \
    mvn -B -ntp -T 2 -Dmaven.artifact.threads=10 -Dstyle.color=never -f "$REPO/pom.xml" -DskipTests -pl "!test" package || {
    grep -m 5 '^\[ERROR\]' "$log" >&2 || true
    die "the build failed; read $log"
  }
  local part
  for part in "${SERVICES[@]}"; do unpack "$part"; done
  echo "$stamp" >"$BUILD_STAMP"
}

# A jar of jars starts slower, and no JVM learns from it.
unpack() {
  local app
  app=$(app_of "$1")
  rm -rf "$app" "$app.new"
  {
    "$BUILD_JAVA/bin/java" -Djarmode=tools -jar "$(jar_of "$1")" \
      extract --application-filename app.jar --destination "$app.new" >>"$REPO/target/build-log" &&
      mv "$app.new" "$app"
  } || die "$(jar_of "$1") cannot be unpacked; read $REPO/target/build-log"
}

