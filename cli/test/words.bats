#!/usr/bin/env bats
# What the command says to words it does not know, and what needs no running copy.

bats_require_minimum_version 1.8.0
load second_try

setup() {
  second_try
  REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  SECKILL=$REPO/seckill
  export SECKILL_HOME=$BATS_TEST_TMPDIR/home SECKILL_PORT=${SECKILL_PORT:-18080}
}

# A folder that looks like a copy whose parts are all down.
fake_copy() {
  mkdir -p "$SECKILL_HOME/secrets"
  printf 'port=%s\nshards=3\nlayout=8\n' "$SECKILL_PORT" >"$SECKILL_HOME/.seckill"
  printf '# comment\nk1 %064d\nk2 %064d\n' 1 2 >"$SECKILL_HOME/secrets/token-keys"
}

@test "an unknown verb names the verbs and exits 2" {
  run "$SECKILL" fly
  [ "$status" -eq 2 ]
  [[ $output == *"unknown verb 'fly'"*up* ]]
}

@test "no verb at all lists the verbs and exits 2" {
  run "$SECKILL"
  [ "$status" -eq 2 ]
  [[ $output == *"./seckill sale create PRODUCT"* ]]
}

@test "a verb that containers do not have is named with those they have, exit 2" {
  local words
  for words in '' up fly 'status now' logs load 'load fly' 'load spike --rate' 'load spike --keep 1' \
    'load spike --rate 1e3' 'load spike --stock 0' 'load spike --users x' 'load spike --duration 5'; do
    # shellcheck disable=SC2086 # words
    run "$SECKILL" --compose $words
    echo "$words: $status $output"
    [ "$status" -eq 2 ]
    [[ $output == *"./seckill --compose sale|buy"* ]]
  done
}

@test "a path as a verb is not run" {
  run "$SECKILL" lib/common
  [ "$status" -eq 2 ]
}

@test "every verb explains itself and touches nothing" {
  local file verb
  for file in "$REPO"/cli/*.sh; do
    verb=$(basename "$file" .sh)
    run "$SECKILL" "$verb" --help
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "usage: ./seckill $verb"* ]]
  done
  [ ! -e "$SECKILL_HOME" ]
}

@test "an unknown word of a verb gets the usage line and exit 2" {
  local words
  for words in 'up --fast' 'down now' 'status -v' 'restart' 'restart disk' 'logs' 'logs disk' \
    'token' 'token a/b' 'token bob --role root' 'token bob --ttl' 'token bob --ttl 0' \
    'shard' 'shard lists' 'shard list x' 'shard retire' 'shard retire 1' 'shard retire x --for-good' 'buy bob' 'buy bob 0' 'buy bob 518 519' 'pay 1 --user bob' 'pay' 'audit -v' 'audit x' 'parked x' 'parked --json 1' 'parked replay' 'parked replay 0' 'parked replay 1 2' \
    'audit 1 2' 'rehearse' 'rehearse x' 'rehearse 1 2' 'limits all' 'limits set' 'limits set speed 1' 'load' 'load fly' 'load 03-spike' 'load spike 9' 'load spike --rate 0' 'load spike --users' \
    'load spike --duration 5x' 'load spike --duration 999999h' 'load soak --users 5' 'load spike --generator wrk' 'load check' 'load check a b' 'test now' 'sale' 'sale drop 1' \
    'sale remove' 'sale remove 1 2' \
    'spec fast' 'spec --walks' 'spec --walks 0' 'spec --seed x' 'spec --without' 'spec --without gate'; do
    fake_copy
    # shellcheck disable=SC2086 # words
    run "$SECKILL" $words
    echo "$words: $status $output"
    [ "$status" -eq 2 ]
    [[ $output == *'usage: ./seckill '* ]]
  done
}

@test "a part is known also where the list of parts is slow" {
  # shellcheck disable=SC2016 # for the inner shell
  run -0 bash -euo pipefail -c 'LIB=$0/cli/lib
    source "$LIB/common.sh"; source "$LIB/ports.sh"
    parts() { local part; for part in control shard-0 edge; do echo "$part"; sleep 0.2; done; }
    need_part control; need_part edge' "$REPO"
}

@test "a bad number or time of a sale names its option" {
  local words option
  for words in '--stock 0' '--stock -1' '--stock 1.5' '--stock 1e3' '--stock 010' '--stock' \
    '--price -1' '--per-user 0' '--pay-within 0' '--start yesterday' '--end 2026-13-01T00:00:00Z' \
    '--end 2026-11-21T00:00:00' '--path maybe'; do
    option=${words%% *}
    # shellcheck disable=SC2086 # words
    run "$SECKILL" sale create 518 $words
    echo "$words: $status $output"
    [ "$status" -eq 2 ]
    [[ $output == *"$option"* ]]
  done
}

@test "a product that is no product is refused before anything is asked" {
  local product
  for product in 0 01 -1 1.5 x '' 1234567890123456789 '5 18' '*'; do
    run "$SECKILL" sale create "$product" --stock 1
    [ "$status" -eq 2 ]
    [[ $output == *PRODUCT* ]]
    run "$SECKILL" sale remove "$product"
    [ "$status" -eq 2 ]
    [[ $output == *PRODUCT* ]]
  done
}

@test "a port that is none stops at once with the key's name" {
  local port
  for port in 80 x 65536 8080x ' '; do
    SECKILL_PORT=$port run "$SECKILL" status
    [ "$status" -eq 1 ]
    [[ $output == *SECKILL_PORT* ]]
  done
}

@test "a verb without a copy says how to get one" {
  run "$SECKILL" status
  [ "$status" -eq 1 ]
  [[ $output == *"./seckill up"* ]]
}

@test "an HMAC is the one of RFC 4231, for keys shorter and longer than a block" {
  hmac() { LIB=$REPO/cli/lib bash -c 'REPO=$0; source "$LIB/common.sh"; source "$LIB/token.sh"; printf %s "$2" | hmac_sha256 "$1" | to_hex' "$REPO" "$@"; }
  [ "$(hmac Jefe 'what do ya want for nothing?')" = 5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843 ]
  [ "$(hmac "$(printf 'k%.0s' {1..100})" 'what do ya want for nothing?')" = 06b9b5e08093497ed4602d9cabe2a43555c2b5c75d437c35369e27d7ff8e5bca ]
}

# init: as the containers run it, with its volume in SECKILL_HOME.
init() {
  # shellcheck disable=SC2046 # words
  env $(grep '^SECKILL_LIMITER_\|^SECKILL_BURST' "$REPO/.env") SECKILL_EDGE_WORKERS=1 \
    SECKILL_MEMORY_MB=1 SECKILL_LIMITS=SECKILL_SERVICE_MEMORY=0 "$REPO/docker/job" init
}

@test "a volume of a build that signed no reservations gets keys for them, and keeps the others" {
  local name secrets=$SECKILL_HOME/secrets
  mkdir -p "$SECKILL_HOME"
  init
  cp -r "$secrets" "$BATS_TEST_TMPDIR/before"
  rm "$secrets/reservation-keys"
  init
  [ -s "$secrets/reservation-keys" ]
  ! cmp "$secrets/reservation-keys" "$BATS_TEST_TMPDIR/before/reservation-keys" || return 1
  cp "$secrets/reservation-keys" "$BATS_TEST_TMPDIR/before/"
  init
  diff -r "$secrets" "$BATS_TEST_TMPDIR/before"

  echo x >"$secrets/reservation-keys"
  run init
  [ "$status" -eq 1 ]
  [[ $output == *'the secret reservation-keys'*'is bad, line 1: must be KID SECRET'* ]]
  for name in db-password token-keys payment-keys; do
    cp "$BATS_TEST_TMPDIR"/before/* "$secrets/"
    rm "$secrets/$name"
    run init
    [ "$status" -eq 1 ]
    [[ $output == *"the secret $name is missing"* ]]
  done
}

@test "a copy of a build that signed no reservations gets keys for them on up, and keeps the others" {
  make() { LIB=$REPO/cli/lib HOME_DIR=$SECKILL_HOME bash -c 'source "$LIB/secrets.sh"; make_secrets'; }
  make
  cp -r "$SECKILL_HOME/secrets" "$BATS_TEST_TMPDIR/before"
  rm "$SECKILL_HOME/secrets/reservation-keys"
  make
  [ -s "$SECKILL_HOME/secrets/reservation-keys" ]
  rm "$SECKILL_HOME/secrets/reservation-keys" "$BATS_TEST_TMPDIR/before/reservation-keys"
  diff -r "$SECKILL_HOME/secrets" "$BATS_TEST_TMPDIR/before"
}

@test "a token carries the first key's id, the user, the role and the end" {
  fake_copy
  local token head claims
  token=$("$SECKILL" token bob@x --role ops --ttl 60)
  IFS=. read -r head claims _ <<<"$token"
  [ "$(base64 -d <<<"$head==" 2>/dev/null | jq -r '"\(.alg) \(.kid)"')" = 'HS256 k1' ]
  [ "$(base64 -d <<<"$claims==" 2>/dev/null | jq -r '"\(.sub) \(.role) \(.exp - .iat)"')" = 'bob@x ops 60' ]
}

@test "down refuses to wipe a folder that is not ours" {
  mkdir -p "$SECKILL_HOME"
  touch "$SECKILL_HOME/holiday.jpg"
  run "$SECKILL" down --wipe
  [ "$status" -eq 1 ]
  [ -e "$SECKILL_HOME/holiday.jpg" ]
}

@test "up refuses to fill a folder that is not ours" {
  mkdir -p "$SECKILL_HOME"
  touch "$SECKILL_HOME/holiday.jpg"
  run "$SECKILL" up
  [ "$status" -eq 1 ]
  [[ $output == *SECKILL_HOME* ]]
  [ "$(ls -A "$SECKILL_HOME")" = holiday.jpg ]
}

@test "up refuses a path that a configuration file cannot hold" {
  SECKILL_HOME=$BATS_TEST_TMPDIR/'a&b' run -1 "$SECKILL" up
  [[ $output == *"a&b: the path"* ]]
  SECKILL_HOME=/tmp/$(printf 'x%.0s' {1..90}) run -1 "$SECKILL" up
  [[ $output == *"longer than the 94 characters"* ]]
}

@test "a copy is not looked for on another port than its own" {
  fake_copy
  local verb
  for verb in status limits 'buy bob 518' 'restart edge'; do
    # shellcheck disable=SC2086 # words
    SECKILL_PORT=$((SECKILL_PORT + 100)) run -1 "$SECKILL" $verb
    [[ $output == *"has port $SECKILL_PORT, not SECKILL_PORT $((SECKILL_PORT + 100))"* ]]
  done
}

@test "another number of shards on existing data is refused with the reason" {
  fake_copy
  run "$SECKILL" up --shards 4
  [ "$status" -eq 1 ]
  [[ $output == *"allocated over 3 shards"*"down --wipe"* ]]
}

@test "sixteen shards have a port each that no other part has, and there may be no more" {
  fake_copy
  sed -i 's/shards=.*/shards=16/' "$SECKILL_HOME/.seckill"
  run "$SECKILL" status
  [ "$(grep -c '^shard-' <<<"$output")" -eq 16 ]
  [[ $output =~ shard-7\ +-\ +$((SECKILL_PORT + 17))\  && $output =~ shard-8\ +-\ +$((SECKILL_PORT + 24))\  ]]
  run bash -c 'LIB=$0/cli/lib REPO=$0; source "$LIB/common.sh"
    for part in $(parts); do ports_of "$part"; done | sort -n' "$REPO"
  [ "$(uniq -d <<<"$output")" = '' ]
  [ "$(tail -n 1 <<<"$output")" -eq $((SECKILL_PORT + 31)) ]
  run -2 "$SECKILL" up --shards 17
  [[ $output == *"'17' is not a whole number from 1 to 16"* ]]
}

@test "a pid file that names a foreign process neither counts nor kills it" {
  fake_copy
  mkdir -p "$SECKILL_HOME/shard-0"
  sleep 60 &
  local foreign=$!
  echo "$foreign" >"$SECKILL_HOME/shard-0/pid"
  run -1 "$SECKILL" status
  [[ $output =~ shard-0\ +-\  ]]
  run "$SECKILL" down
  kill -0 "$foreign"
  kill "$foreign"
}

@test "limits refuse an unknown key, a foreign scope and a value out of bounds" {
  fake_copy
  local words
  for words in 'set nonsense 1' 'set qps 1' 'product 518 edge.global_qps 1' 'product 518 qps -1' \
    'product 518 quota_percent 99' 'product 518 qps 1e3' 'product x qps 1' 'set edge.global_qps'; do
    # shellcheck disable=SC2086 # words
    run "$SECKILL" limits $words
    echo "$words: $status $output"
    [ "$status" -eq 2 ]
  done
}

@test "a commit whose subject has 73 characters fails the check, one with 72 passes" {
  local subject
  git init -q "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo"
  mkdir .ci
  cp "$REPO/.ci/commits" .ci/
  subject=$(printf 'x%.0s' {1..72})
  git -c user.name=t -c user.email=t@t commit -q --allow-empty -m "$subject" -m "$(printf 'y%.0s' {1..100})"
  run -0 .ci/commits
  git -c user.name=t -c user.email=t@t commit -q --allow-empty -m "x$subject"
  run -1 .ci/commits
  [[ $output == *"longer than 72"*"x$subject"* ]]
}

@test "up touches no data of another layout and says what to do" {
  local reads
  reads=$(sed -n 's/^LAYOUT=\([0-9]*\).*/\1/p' "$REPO/cli/lib/copy.sh")
  fake_copy
  sed -i '/^layout=/d' "$SECKILL_HOME/.seckill"
  run -1 "$SECKILL" up
  [[ $output == *"$SECKILL_HOME has layout 1, this build reads $reads;"*"down --wipe"* ]]
  [ ! -e "$SECKILL_HOME/control" ]
}

@test "where the edge is OpenResty's, none of Debian's packages for it is asked for" {
  local nginx=$BATS_TEST_TMPDIR/openresty
  # shellcheck disable=SC2016 # for the inner shell
  missing() {
    bash -euo pipefail -c '
      source "$1/edge.sh"; source "$1/install.sh"
      NEEDED_BY_EDGE="/no/lua.so lua-of-debian"
      missing_packages "/no/redis redis$(needed_by_edge)"
    ' - "$REPO/cli/lib"
  }
  run -0 missing
  [ "$output" = $'lua-of-debian\nredis' ]
  printf '#!/bin/sh\necho "nginx version: openresty/1.25.3.1" >&2; sleep 0.2; echo "built by gcc" >&2\n' >"$nginx"
  chmod +x "$nginx"
  SECKILL_NGINX=$nginx run -0 missing
  [ "$output" = redis ]
  SECKILL_NGINX=/no/nginx run -0 missing
  [ "$output" = $'lua-of-debian\nredis' ]
}
