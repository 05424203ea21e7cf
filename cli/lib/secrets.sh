# Secrets of this copy, made on the first `up`, or on the next where a build before had none: folder 700, files 600, never an
# argument of a process.
# shellcheck shell=bash

SECRETS=$HOME_DIR/secrets
TOKEN_KEYS=$SECRETS/token-keys
PAYMENT_KEYS=$SECRETS/payment-keys
RESERVATION_KEYS=$SECRETS/reservation-keys

random_hex() { od -An -N"$1" -v -tx1 /dev/urandom | tr -d ' \n'; }

make_secrets() (
  umask 077
  mkdir -p "$SECRETS"
  [[ -s $SECRETS/db-password ]] || random_hex 16 >"$SECRETS/db-password"
  make_key_file "$TOKEN_KEYS"
  make_key_file "$PAYMENT_KEYS"
  make_key_file "$RESERVATION_KEYS"
)

# make_key_file FILE: unless it is there.
make_key_file() {
  [[ ! -s $1 ]] || return 0
  {
    echo '# KID SECRET per line; the first signs, all verify (two during a rotation)'
    echo "$(random_hex 4) $(random_hex 32)"
  } >"$1.new"
  mv "$1.new" "$1"
}

db_password() { cat "$SECRETS/db-password"; }

# "KID SECRET" of the signing key.
signing_key() {
  local key
  [[ -r $TOKEN_KEYS ]] || die "no key in $TOKEN_KEYS; run ./seckill up first"
  key=$(LC_ALL=C awk -f "$LIB/token-keys.awk" "$TOKEN_KEYS") || die "$TOKEN_KEYS: $key"
  printf '%s\n' "$key"
}
