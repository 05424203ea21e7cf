# k6: built by Go where there is one, else what is on the PATH; never a package of somebody's.
# shellcheck shell=bash disable=SC2034 # read by those that source this

K6_VERSION=1.8.1
K6_CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/seckill/k6-$K6_VERSION # outside the repository: built once
K6_GO_MINOR=25 # Go 1.25 builds it
K6_LIMIT_S=1200

# find_k6: into K6, which stays empty where it cannot be had; K6_WHY then says what to do.
find_k6() {
  K6='' K6_WHY="k6 is not here: install Go 1.$K6_GO_MINOR or newer, or put k6 on the PATH"
  if [[ -x $K6_CACHE/k6 ]]; then
    K6=$K6_CACHE/k6
  elif go_builds_k6; then
    build_k6 || K6=$(command -v k6 || true)
  elif command -v k6 >/dev/null; then
    K6=$(command -v k6)
  fi
}

# No other Go is downloaded for it.
go_builds_k6() {
  local version
  command -v go >/dev/null || return 1
  version=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null)
  [[ $version =~ ^go1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= K6_GO_MINOR))
}

# One builds, whoever comes meanwhile waits and finds it; its name appears when it is whole.
build_k6() {
  local log=$K6_CACHE/log
  mkdir -p "$K6_CACHE"
  exec 8>"$K6_CACHE/lock"
  flock -w "$K6_LIMIT_S" 8 || { K6_WHY="another build of k6 goes on for $K6_LIMIT_S s"; return 1; }
  if [[ ! -x $K6_CACHE/k6 ]]; then
    step "building k6 $K6_VERSION with Go, once; it takes minutes; its log is $log"
    shown "$log" env GOBIN="$K6_CACHE/new" GOFLAGS= GOTOOLCHAIN=local timeout "$K6_LIMIT_S" \
      go install -v "go.k6.io/k6@v$K6_VERSION" && mv "$K6_CACHE/new/k6" "$K6_CACHE/k6"
  fi
  exec 8>&-
  [[ -x $K6_CACHE/k6 ]] || { K6_WHY="k6 could not be built; read $log"; return 1; }
  K6=$K6_CACHE/k6
}
