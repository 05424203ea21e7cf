# HS256 tokens for the local keys, with coreutils alone: a key given to `openssl -macopt` would stand in
# the list of processes.
# shellcheck shell=bash

source "$LIB/secrets.sh"

base64url() { base64 -w0 | tr '+/' '-_' | tr -d '='; }
to_hex() { od -An -v -tx1 | tr -d ' \n'; }
from_hex() {
  local i
  for ((i = 0; i < ${#1}; i += 2)); do printf '%b' "\\x${1:i:2}"; done
}

# xor_pad HEX BYTE: the 64-byte key XOR the byte, in hex.
xor_pad() {
  local i
  for ((i = 0; i < 128; i += 2)); do printf '%02x' $((16#${1:i:2} ^ $2)); done
}

# hmac_sha256 KEY: of stdin, raw bytes (RFC 2104).
hmac_sha256() {
  local key inner
  key=$(printf '%s' "$1" | to_hex)
  ((${#key} <= 128)) || key=$(printf '%s' "$1" | sha256sum | cut -d' ' -f1)
  key=$(printf '%-128s' "$key" | tr ' ' 0)
  inner=$({ from_hex "$(xor_pad "$key" 0x36)"; cat; } | sha256sum | cut -d' ' -f1)
  from_hex "$({ from_hex "$(xor_pad "$key" 0x5c)"; from_hex "$inner"; } | sha256sum | cut -d' ' -f1)"
}

# make_token USER ROLE TTL_SECONDS
make_token() {
  local kid secret now head claims
  read -r kid secret < <(signing_key) || exit 1
  now=$(date +%s)
  head=$(printf '{"alg":"HS256","typ":"JWT","kid":"%s"}' "$kid" | base64url)
  claims=$(printf '{"sub":"%s","role":"%s","iat":%d,"exp":%d}' "$1" "$2" "$now" $((now + $3)) | base64url)
  echo "$head.$claims.$(printf '%s' "$head.$claims" | hmac_sha256 "$secret" | base64url)"
}
