# What the JVMs are told, native ones and those in containers.
# shellcheck shell=bash disable=SC2034 # read by those that source this

# jvm_flags MAJOR TMP: into JVM_FLAGS for all five JVMs, last of their options. They share two cores while
# they start and 2.5 GB after, so all but one get CHEAP_START too, the first compiler only: half the CPU
# seconds of a start and 40 MB less each. Nothing in the system's /tmp: temporary files go to the part's own
# (see launch), the figures of jstat stay in memory, whose file also delays collections. SECKILL_JAVA_OPTS
# comes last, so it may say otherwise. Huge pages where the system grants them to who asks: a virtual machine whose host
# maps it in small ones pays for each miss twice. AOT_CACHE is what a JVM of this version may be given where it was trained
# (see services.sh); a cache of another JVM or collector it leaves alone, and says so in its log.
jvm_flags() {
  JVM_FLAGS=(-XX:+UseSerialGC -XX:+UseTransparentHugePages -XX:MaxMetaspaceSize=128m
    -Xss512k -XX:+ExitOnOutOfMemoryError -XX:+PerfDisableSharedMem -Djava.io.tmpdir="$2")
  AOT_CACHE=()
  (($1 < 25)) || AOT_CACHE=(-XX:AOTCache=app/app.aot)
  # RocketMQ and Netty use what 24 warns about and later versions forbid; 17 refuses the first flag.
  (($1 < 24)) || JVM_FLAGS+=(--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED)
  # shellcheck disable=SC2206 # words
  JVM_FLAGS+=(${SECKILL_JAVA_OPTS:-})
}

CHEAP_START=(-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=48m)

# heap_of PART: into HEAP. flash-sale-service, which the crowd meets, gets both compilers, and a heap whose
# young half holds some thousand attempts.
heap_of() {
  case $1 in
    namesrv) HEAP=(-Xms32m -Xmx96m "${CHEAP_START[@]}") ;;
    broker) HEAP=(-Xms96m -Xmx256m -XX:MaxDirectMemorySize=128m "${CHEAP_START[@]}") ;;
    flash-sale) HEAP=(-XX:ReservedCodeCacheSize=96m -Xms160m -Xmx256m -Xmn96m) ;;
    *) HEAP=(-Xms32m -Xmx192m "${CHEAP_START[@]}") ;;
  esac
}

# rocketmq_flags DIR LOGBACK: into ROCKETMQ_FLAGS. TLS off, for it would serve a certificate made up at start.
rocketmq_flags() {
  ROCKETMQ_FLAGS=(-Dfastjson2.parser.safeMode=true -Dtls.server.mode=disabled
    -Duser.home="$1" -Drocketmq.home.dir="$1" -Drmq.logback.configurationFile="$2")
}
