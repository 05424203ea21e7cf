# Secrets of this copy, made on the first `up`: folder 700, files 600, never an argument of a process.
# shellcheck shell=bash

SECRETS=$HOME_DIR/secrets
TOKEN_KEYS=$SECRETS/token-keys

random_hex() { od -An -N"$1" -v -tx1 /dev/urandom | tr -d ' \n'; }

make_secrets() (
  umask 077
  mkdir -p "$SECRETS"
  [[ -s $SECRETS/db-password ]] || random_hex 16 >"$SECRETS/db-password"
  [[ -s $TOKEN_KEYS ]] || {
    echo '# KID SECRET per line; the first signs, all verify (two during a rotation)'
    echo "$(random_hex 4) $(random_hex 32)"
  } >"$TOKEN_KEYS.new"
  [[ ! -f $TOKEN_KEYS.new ]] || mv "$TOKEN_KEYS.new" "$TOKEN_KEYS"
)

db_password() { cat "$SECRETS/db-password"; }

# "KID SECRET" of the signing key.
signing_key() {
  local key
  [[ -r $TOKEN_KEYS ]] || die "no key in $TOKEN_KEYS; run ./seckill up first"
  key=$(LC_ALL=C awk -f "$LIB/token-keys.awk" "$TOKEN_KEYS") || die "$TOKEN_KEYS: $key"
  printf '%s\n' "$key"
}
