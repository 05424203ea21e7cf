#!/usr/bin/env bats
# The examples of contracts/, as the services and the edge read them.

bats_require_minimum_version 1.8.0
load second_try

setup() {
  second_try
  REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  EXAMPLES=$REPO/contracts/examples
  SECKILL=$REPO/seckill
  # A port of its own: the copy under test has its limits on the other one.
  export SECKILL_HOME=$BATS_TEST_TMPDIR/home SECKILL_PORT=$((${SECKILL_PORT:-18080} + 60))
  mkdir -p "$SECKILL_HOME"
  LIB=$REPO/cli/lib
  # shellcheck disable=SC2034 # secrets.sh reads it
  HOME_DIR=$SECKILL_HOME
  source "$LIB/token.sh"
}

die() { echo "$*"; exit 1; }

# value_of FILE: into VALUE, every character of it.
value_of() {
  VALUE=$(jq -j .value "$1"; echo x)
  VALUE=${VALUE%x}
}

# set_limit FILE: what the command says to the example's key and value; nothing listens.
set_limit() {
  local key scope=set
  key=$(jq -r .key "$1")
  value_of "$1"
  jq -e --arg key "$key" 'any(.[]; .key == $key and .scope == "product")' "$REPO/contracts/limits.json" >/dev/null && scope='product 518'
  # shellcheck disable=SC2086 # words
  run "$SECKILL" limits $scope "$key" "$VALUE"
}

# shown FILE: how the list shows the example's value; Redis is played by what it would print.
shown() (
  source "$REPO/cli/limits.sh"
  control_redis() { jq -c '[.key, .value]' "$FILE"; }
  FILE=$1
  for scope in global product; do limit_rows "$scope" shown hash; done | grep -F "$(jq -r .key "$1")|"
)

@test "a key file that is valid signs with its first key" {
  local file count=0
  for file in "$EXAMPLES"/key-file/valid/*.keys; do
    TOKEN_KEYS=$file run signing_key
    echo "$file: $status $output"
    [ "$status" -eq 0 ]
    [[ $output =~ ^[A-Za-z0-9_.-]{1,64}\ [!-~]{32,512}$ ]]
    count=$((count + 1))
  done
  [ "$count" -gt 1 ]
}

@test "a key file that is invalid is refused in the words of the other readers" {
  local file count=0
  for file in "$EXAMPLES"/key-file/invalid/*.keys; do
    TOKEN_KEYS=$file run signing_key
    echo "$file: $status $output"
    [ "$status" -eq 1 ]
    [ "$output" == "$file: $(cat "${file%.keys}.error")" ]
    count=$((count + 1))
  done
  [ "$count" -gt 1 ]
}

@test "a minted token is the one of the examples, byte for byte" {
  local example=$EXAMPLES/token/valid/buyer.json claims
  claims=$(jq -r '.token | split(".")[1] | gsub("-"; "+") | gsub("_"; "/") | @base64d' "$example")
  printf -v ISSUED "%d" "$(jq .iat <<<"$claims")"
  date() { echo "$ISSUED"; }
  TOKEN_KEYS=$EXAMPLES/token/token-keys
  run make_token alice buyer "$(jq '.exp - .iat' <<<"$claims")"
  echo "$output"
  [ "$output" == "$(jq -r .token "$example")" ]
}

@test "a limit that is valid is taken and shown as it is" {
  local file count=0
  printf 'port=%s\nshards=3\nlayout=8\n' "$SECKILL_PORT" >"$SECKILL_HOME/.seckill"
  for file in "$EXAMPLES"/limit/valid/*.json; do
    set_limit "$file"
    echo "$file: $status $output"
    [ "$status" -eq 1 ]
    [[ $output == *'does not answer'* ]]
    [[ $(shown "$file") == *"|shown|$(jq -r .value "$file")|"* ]]
    count=$((count + 1))
  done
  [ "$count" -gt 1 ]
}

@test "a limit that is invalid is refused, and shown as ignored" {
  local file count=0
  printf 'port=%s\nshards=3\nlayout=8\n' "$SECKILL_PORT" >"$SECKILL_HOME/.seckill"
  for file in "$EXAMPLES"/limit/invalid/*.json; do
    echo "$file: $(shown "$file")"
    [[ $(shown "$file") == *'is ignored)'* ]]
    count=$((count + 1))
    [[ $file != */nul-after.json ]] || continue # no argument holds a NUL
    set_limit "$file"
    echo "$status $output"
    [ "$status" -eq 2 ]
  done
  [ "$count" -gt 1 ]
}

@test "a refusal that is valid is told by its code and message" {
  local file count=0
  source "$LIB/http.sh"
  for file in "$EXAMPLES"/refusal/valid/*.json; do
    # shellcheck disable=SC2034 # refused reads them
    STATUS=$(jq .status "$file") BODY=$(jq -c .body "$file")
    run -1 refused pay
    echo "$file: $output"
    [ "$output" == "pay: $(jq -r '"\(.body.code): \(.body.message)"' "$file")" ]
    count=$((count + 1))
  done
  [ "$count" -gt 1 ]
}

@test "an answer that has no code or message is told by its status" {
  local file
  source "$LIB/http.sh"
  for file in "$EXAMPLES"/refusal/invalid/{body-list,body-null,body-text,code-missing,message-missing,message-null}.json; do
    # shellcheck disable=SC2034 # refused reads them
    STATUS=$(jq .status "$file") BODY=$(jq -c .body "$file")
    run -1 refused pay
    echo "$file: $output"
    [[ $output == "pay: status $STATUS: "* ]]
  done
}
