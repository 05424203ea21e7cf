#!/usr/bin/env bash
# apt-install.sh PACKAGE...: installs as root, and holds back Debian's habit of starting what it
# installs, now (policy-rc.d) and at the next boot (disable). Services that were there before are left alone.
set -euo pipefail

POLICY=/usr/sbin/policy-rc.d
export DEBIAN_FRONTEND=noninteractive

hold_services_back() {
  if [[ -e $POLICY ]]; then return; fi # the machine's own policy stays
  trap 'rm -f "$POLICY"' EXIT
  trap 'exit 130' INT TERM HUP
  printf '#!/bin/sh\nexit 101\n' >"$POLICY"
  chmod 755 "$POLICY"
}

# What our packages would start at boot, where this machine does not have it yet.
new_services() {
  local unit package
  while read -r unit package; do
    [[ " $* " != *" $package "* || -e /lib/systemd/system/$unit ]] || echo "$unit"
  done <<'TABLE'
nginx.service         nginx
redis-server.service  redis-server
docker.service        docker.io
docker.socket         docker.io
containerd.service    docker.io
TABLE
}

disable_at_boot() {
  local unit
  for unit in "$@"; do
    if command -v systemctl >/dev/null; then
      systemctl disable "$unit" || true
    else
      deb-systemd-helper disable "$unit" || true
      [[ ! -e /etc/init.d/${unit%.service} ]] || update-rc.d "${unit%.service}" disable || true
    fi
  done
}

main() {
  local services
  services=$(new_services "$@")
  hold_services_back
  apt-get update -q
  apt-get install -q -y --no-install-recommends --no-remove "$@"
  # shellcheck disable=SC2086 # one word per service
  disable_at_boot $services
}

main "$@"
