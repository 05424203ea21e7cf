# JDKs: the newest runs the services, the operator's own (if new enough) builds.
# shellcheck shell=bash disable=SC2034 # read by those that source this

# major_of FOLDER: the JDK's major version from its release file, without starting it.
major_of() {
  [[ -x $1/bin/javac ]] || return 1
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null | grep .
}

on_path() {
  local javac
  javac=$(command -v javac) && dirname "$(dirname "$(readlink -f "$javac")")"
}

# Sets JAVA (newest found), BUILD_JAVA and the flags below; refuses when none is 17 or newer.
find_jdk() {
  local dir major best=0
  JAVA='' BUILD_JAVA=''
  for dir in "${JAVA_HOME:-}" "$(on_path || true)" /usr/lib/jvm/*; do
    major=$(major_of "$dir") || continue
    ((major >= 17)) || continue
    BUILD_JAVA=${BUILD_JAVA:-$dir}
    ((major <= best)) || { best=$major JAVA=$dir; }
  done
  [[ -n $JAVA ]] || die "no JDK 17 or newer in JAVA_HOME, PATH or /usr/lib/jvm; install one (apt-get install openjdk-17-jdk-headless)"
  jvm_flags "$best"
}

# JVM_FLAGS for all five JVMs, last of their options. They share two cores while they start and 2.5 GB after,
# so all but one get CHEAP_START too, the first compiler only: half the CPU seconds of a start and 40 MB less
# each. flash-sale-service, which the crowd meets, gets FAST_RUN: both compilers, and a heap whose young half
# holds some thousand attempts. Nothing in the system's /tmp: temporary files go to the part's own (see
# launch), the figures of jstat stay in memory, whose file also delays collections. SECKILL_JAVA_OPTS comes
# last, so it may say otherwise. AOT_CACHE is what a JVM of this version may be given where it was trained (see
# services.sh); a cache of another JVM or collector it leaves alone, and says so in its log.
jvm_flags() {
  CHEAP_START=(-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=48m)
  FAST_RUN=(-XX:ReservedCodeCacheSize=96m -Xms160m -Xmx256m -Xmn96m)
  JVM_FLAGS=(-XX:+UseSerialGC -XX:MaxMetaspaceSize=128m
    -Xss512k -XX:+ExitOnOutOfMemoryError -XX:+PerfDisableSharedMem -Djava.io.tmpdir=tmp)
  AOT_CACHE=()
  (($1 < 25)) || AOT_CACHE=(-XX:AOTCache=app/app.aot)
  # RocketMQ and Netty use what 24 warns about and later versions forbid; 17 refuses the first flag.
  (($1 < 24)) || JVM_FLAGS+=(--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED)
  # shellcheck disable=SC2206 # words
  JVM_FLAGS+=(${SECKILL_JAVA_OPTS:-})
}
