# JDKs: the newest runs the services, the operator's own (if new enough) builds.
# shellcheck shell=bash disable=SC2034 # read by those that source this

source "$LIB/jvm.sh"

# major_of FOLDER: the JDK's major version from its release file, without starting it.
major_of() {
  [[ -x $1/bin/javac ]] || return 1
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null | grep .
}

on_path() {
  local javac
  javac=$(command -v javac) && dirname "$(dirname "$(readlink -f "$javac")")"
}

# Sets JAVA (newest found), BUILD_JAVA and JVM_FLAGS; refuses when none is 17 or newer.
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
  jvm_flags "$best" tmp
}
