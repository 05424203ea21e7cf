#!/usr/bin/env bats
# Parked messages of a running copy (SECKILL_HOME, SECKILL_PORT).

bats_require_minimum_version 1.8.0
load second_try

TOPIC=stock_return # it comes back at once: a service listens

setup() {
  second_try
  SECKILL=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/seckill
  [ -f "$SECKILL_HOME/.seckill" ]
}

teardown() {
  sql "DELETE FROM parked_message WHERE body LIKE 'bats %'; ALTER TABLE orders DROP CONSTRAINT IF EXISTS no_bats"
}

# sql STATEMENT: as the services' user.
sql() { mariadb --defaults-file="$SECKILL_HOME/mariadb/client.cnf" -N -e "$1"; }

# soon COMMAND...: its first output, within 30 s.
soon() {
  local found
  for _ in $(seq 150); do
    found=$("$@")
    [[ -z $found ]] || { echo "$found"; return; }
    sleep 0.2
  done
  return 1
}

# result BUYER SALE: its status, once it is not PENDING.
result() {
  curl -sf -H "Authorization: Bearer $1" "http://127.0.0.1:$SECKILL_PORT/seckill/flash/sale/result?productId=$2" |
    jq -r '.status | select(. != "PENDING")'
}

@test "a parked message is listed as plain text, sent again, and comes back when nothing can be made of it" {
  sql "INSERT INTO parked_message (service, topic, message_id, body, reason, parked_at_ms)
    VALUES ('stock-service', '$TOPIC', 'm-1', 'bats $BATS_TEST_NUMBER', CONCAT('made up', CHAR(27), '[2J'), 1)"
  id=$(sql "SELECT MAX(id) FROM parked_message")
  run --separate-stderr -0 "$SECKILL" parked
  [[ $output == *"$id  1970-01-01T00:00:00Z  stock-service  $TOPIC  m-1"* ]]
  [[ $output == *'made up?[2J'* ]]
  run --separate-stderr -0 "$SECKILL" parked --json
  jq -e --argjson id "$id" '.messages[] | select(.id == $id) | .body | startswith("bats ")' <<<"$output"

  run --separate-stderr -0 "$SECKILL" parked replay "$id"
  [ "$output" = "sent again: $id, to $TOPIC" ]
  for _ in $(seq 100); do
    [ "$(sql "SELECT COUNT(*) FROM parked_message WHERE id > $id AND body LIKE 'bats %'")" -eq 0 ] || break
    sleep 0.1
  done
  [ "$(sql "SELECT COUNT(*) FROM parked_message WHERE id > $id AND body LIKE 'bats %'")" -eq 1 ]
  run --separate-stderr -1 "$SECKILL" parked replay "$id"
  # shellcheck disable=SC2154 # set by run
  [[ $stderr == *"there is no parked message $id"* ]]
}

@test "a reservation that was parked becomes its buyer's order once it is sent again, and the books balance" {
  local sale=79$((RANDOM + 1))$((RANDOM + 1)) buyer=bats-$RANDOM token parked
  token=$("$SECKILL" token "$buyer")
  "$SECKILL" sale create "$sale" --stock 3
  sql "ALTER TABLE orders ADD CONSTRAINT no_bats CHECK (user_id <> '$buyer')"
  curl -sf -X POST -H "Authorization: Bearer $token" \
    "http://127.0.0.1:$SECKILL_PORT/seckill/flash/sale/deduct?productId=$sale"
  parked=$(soon sql "SELECT id FROM parked_message WHERE service = 'order-service' AND body LIKE '%\"$buyer\"%'")
  [ -z "$(result "$token" "$sale")" ]

  sql "ALTER TABLE orders DROP CONSTRAINT no_bats"
  run --separate-stderr -0 "$SECKILL" parked replay "$parked"
  [ "$output" = "sent again: $parked, to flash_sale_success_inform" ]
  [ "$(soon result "$token" "$sale")" = ORDERED ]
  run -0 "$SECKILL" audit "$sale"
  [[ ${lines[-1]} == BALANCED ]]
}
