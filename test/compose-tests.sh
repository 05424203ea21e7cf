# The tests of test/compose, on a running engine; TAP.
# shellcheck shell=bash

FAILED=0

# check NAME COMMAND...: its output is shown when it fails. Not in a condition, where -e would be off.
check() {
  local name=$1 out=$RUN/out code
  shift
  set +e
  (set -e; "$@") >"$out" 2>&1
  code=$?
  set -e
  if ((code == 0)); then
    echo "ok $name ($SECONDS s)"
  else
    echo "not ok $name ($SECONDS s)"
    sed 's/^/# /' "$out" | tail -n 40
    FAILED=1
  fi
}

run_tests() {
  [[ -z $SHELL_WANTED ]] || { up || true; in_network bash -i; return; }
  check 'up, with nothing set, ends with every part healthy and the jobs done' up
  ((FAILED == 0)) || { evidence; return 1; }
  check 'services are no root, cannot write, and have neither compiler nor Maven' hardened
  check 'one port is published, on loopback' one_port
  check 'the shop answers where the demo job says' shop_answers
  check 'a buyer buys and pays, and the books balance' buy_and_pay
  check 'every verb works' verbs
  check 'a shard that is killed in the middle of a rush comes back, and the books balance' kill_in_rush shard-1
  check 'so does flash-sale-service, at the address that the edge knows' kill_in_rush flash-sale
  stop_engine
  runner
  check 'the engine is restarted, and the books balance' healthy_and_balanced
  check 'a second up changes nothing' second_up
  check 'down with the data kept, up again: what was sold is sold' down_and_up
  check 'a port that is taken stops up, in one line' port_taken
  check 'a missing secret stops up, in one line' missing_secret
  check 'volumes of another layout stop up, in one line' older_volume
  check 'too little memory stops up, in one line' little_memory
  check 'down -v leaves nothing' leaves_nothing
  return "$FAILED"
}

evidence() { compose ps; compose logs --tail 20; }

up() { compose up -d && all_healthy; }
verb() { "$REPO/seckill" --compose "$@"; }
container() { compose ps -q "$1"; }

all_healthy() { verb status; }

# What an engine that was restarted brings up in no order.
await_healthy() {
  local deadline=$((SECONDS + 180))
  until all_healthy; do
    ((SECONDS < deadline)) || return 1
    sleep 2
  done
}

hardened() {
  local part id
  for part in stock order flash-sale edge namesrv broker control shard-0 mariadb; do
    id=$(container "$part")
    [[ $(docker exec "$id" sh -c 'id -u') != 0 ]] || { echo "$part is root"; return 1; }
    ! docker exec "$id" sh -c 'touch /usr/x /etc/x 2>/dev/null' || { echo "$part can write"; return 1; }
    [[ $(docker inspect -f '{{.HostConfig.Memory}}' "$id") != 0 ]] || { echo "$part has no limit"; return 1; }
  done
  for part in stock order flash-sale; do
    ! docker exec "$(container "$part")" sh -c 'command -v javac || command -v mvn' || return 1
    # Ours is a layer by itself.
    docker history -q "seckill/$part:$SECKILL_TAG" >/dev/null
    [[ $(docker history --format '{{.Size}}' "seckill/$part:$SECKILL_TAG" | sed -n 2p) != *MB ]] || return 1
  done
}

one_port() {
  [[ $(docker ps --format '{{.Ports}}' | grep -c -- '->') == 1 ]]
  docker ps --format '{{.Ports}}' | grep -qF "127.0.0.1:$SECKILL_PORT->8080/tcp"
}

shop_answers() {
  verb logs demo | grep -o 'http://[^ ]*#token=[A-Za-z0-9._-]*' | tail -1
  local url
  url=$(verb logs demo | grep -o 'http://[^# ]*' | tail -1)
  in_network curl -sf "$url" | grep -q '<html'
}

balanced() { [[ $(verb audit "$@" | tail -1) == BALANCED ]]; }

buy_and_pay() {
  local bought
  bought=$(verb buy alice 518)
  echo "$bought"
  verb pay "$(jq -r .orderSn <<<"$bought")" --user alice | grep PAID
  balanced 518
}

verbs() {
  verb sale create 7 --stock 3
  verb token bob | grep -qE '^[^.]+\.[^.]+\.[^.]+$'
  [[ $(verb limits) == *edge.global_qps* ]]
  verb limits product 7 qps 0
  sleep 1
  ! verb buy bob 7 >/dev/null || return 1
  verb limits product 7 qps default
  sleep 1
  verb buy bob 7 | jq -e '.status == "ORDERED"'
  verb logs stock >"$RUN/log"
  grep -q StockApplication "$RUN/log"
  verb shard list
  verb status
}

# As if it crashed: for a container that `docker kill` ended stays down by intent.
slay() { kill -9 "$(docker inspect -f '{{.State.Pid}}' "$(container "$1")")"; }

kill_in_rush() { # PART
  local product=1${#1} units=60
  verb sale create "$product" --stock "$units"
  compose run --rm --no-deps -T -v "$REPO/test/images/crowd:/crowd:ro" --entrypoint /crowd cli "$product" 90 8 \
    </dev/null >"$RUN/crowd" &
  until grep -q rush "$RUN/crowd"; do sleep 0.2; done
  sleep 1.5
  slay "$1"
  wait $!
  cat "$RUN/crowd"
  await_healthy >/dev/null
  [[ $(docker inspect -f '{{.RestartCount}}' "$(container "$1")") == 1 ]]
  balanced "$product"
  verb audit "$product" --json | jq -e --argjson units "$units" '.products[0].shards | map(.liveOrders) | add == $units'
}

healthy_and_balanced() {
  await_healthy
  balanced
}

second_up() {
  local before
  before=$(docker ps -q | sort)
  up
  [[ $(docker ps -q | sort) == "$before" ]]
}

down_and_up() {
  compose down
  up
  balanced
  ! verb buy alice 518 || return 1
}

# refused LINE: `up` fails, and the job init said it.
refused() {
  ! compose up -d || return 1
  compose logs --no-color init | tail -1 | grep -F "$1"
  compose down
}

port_taken() {
  compose down
  in_network python3 -m http.server --bind 127.0.0.1 "$SECKILL_PORT" >/dev/null 2>&1 &
  local other=$! said
  sleep 1
  ! said=$(compose up -d 2>&1) || { kill "$other"; return 1; }
  kill "$other"
  echo "$said"
  grep -q 'address already in use' <<<"$said"
  compose down
}

secrets() { compose run --rm --no-deps -T --entrypoint "$1" init "${@:2}" </dev/null; }

missing_secret() {
  secrets mv /var/lib/seckill/secrets/db-password /var/lib/seckill/secrets/kept
  refused 'the secret db-password is missing'
  secrets mv /var/lib/seckill/secrets/kept /var/lib/seckill/secrets/db-password
}

older_volume() {
  secrets sed -i s/^layout=.*/layout=6/ /var/lib/seckill/.seckill
  refused 'the volumes have layout 6'
}

little_memory() { SECKILL_MEMORY_MB=999999999 refused 'of memory, the parts may take 999999999 MB'; }

leaves_nothing() {
  compose down -v
  [[ -z $(docker ps -aq)$(docker volume ls -q) ]]
  ! docker network ls --format '{{.Name}}' | grep seckill
}
