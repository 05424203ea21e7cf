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

# Those of our packages' services that this machine does not have yet.
new_services() {
  local name
  for name in nginx redis-server; do
    [[ " $* " != *" $name "* || -e /etc/init.d/$name ]] || echo "$name"
  done
}

disable_at_boot() {
  local name
  for name in "$@"; do
    if command -v systemctl >/dev/null; then
      systemctl disable "$name" || true
    else
      deb-systemd-helper disable "$name.service" || true
      update-rc.d "$name" disable || true
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
