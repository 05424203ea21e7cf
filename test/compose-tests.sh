# The tests of test/compose, on a running engine; TAP.
# shellcheck shell=bash

FAILED=0
TEST_OF_PROMETHEUS='Prometheus reaches every part, and has our rules'
RUSH_UNITS=60
TEST_OF_K6='k6 buys as a crowd, and the books balance'

chosen() { [[ $1 =~ $ONLY|^up,|^down\ -v ]]; } # NAME

# check NAME COMMAND...: its output is shown when it fails. Not in a condition, where -e would be off.
check() {
  local name=$1 out=$RUN/out code
  shift
  chosen "$name" || return 0
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
  check 'status sees a part that is away, verbs that do not want it work' without_edge
  check 'a shard that is killed in the middle of a rush comes back, and the books balance' kill_in_rush shard-1
  check 'so does flash-sale-service, at the address that the edge knows' kill_in_rush flash-sale
  check 'services and edge are replaced in the middle of a rush, and the books balance' replace_in_rush
  check 'TLS in front as docs/production.md has it sells' tls_front
  STARTED=$(started || true)
  stop_engine
  runner
  check 'the engine is restarted, and the books balance' healthy_and_balanced
  check 'a second up changes nothing' second_up
  check 'down with the data kept, up again: what was sold is sold' down_and_up
  check "$TEST_OF_PROMETHEUS" observed
  forget_prometheus >/dev/null 2>&1 || true
  if [[ -z $K6 ]] && chosen "$TEST_OF_K6"; then
    echo "ok $TEST_OF_K6 # SKIP $K6_WHY"
  else
    check "$TEST_OF_K6" load_by_k6
  fi
  check 'a shard whose volume is lost is rebuilt from the orders' lose_shard_volume
  check 'the database comes back from a dump, and the books balance' restore_database
  check 'shards without room take nothing more and lose nothing' full_shards
  check 'volumes from before reservations were signed get keys for them' unsigned_volumes
  check 'a port that is taken stops up, in one line' port_taken
  check 'a missing or a bad secret stops up, in one line' missing_secret
  check 'volumes of another layout stop up, in one line' older_volume
  check 'too little memory or a bad number stops up, in one line' bad_limits
  check 'down -v leaves nothing' leaves_nothing
  return "$FAILED"
}

evidence() { compose ps; compose logs --tail 20; }

up() { compose up -d && await_healthy; }
verb() { "$REPO/seckill" --compose "$@"; }
container() { compose ps -q "$1"; }

# within SECONDS COMMAND...: once it succeeds.
within() {
  local deadline=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < deadline)) || return 1
    sleep 1
  done
}

await_healthy() { within 300 all_healthy && verb status; }

# As `status` sees it, in a tenth of its time.
all_healthy() {
  ! docker ps -a --filter label=com.docker.compose.oneoff=False --format '{{.Label "com.docker.compose.service"}} {{.Status}}' |
    grep -vE '\(healthy\)$|^(init|demo) Exited \(0\)'
}

hardened() {
  local part id
  for part in stock order flash-sale edge namesrv broker control shard-0 mariadb; do
    id=$(container "$part")
    [[ $(docker exec "$id" sh -c 'id -u') != 0 ]] || { echo "$part is root"; return 1; }
    ! docker exec "$id" sh -c 'touch /usr/x /etc/x 2>/dev/null' || { echo "$part can write"; return 1; }
    docker inspect "$id" | jq -e '.[0].HostConfig | .Memory > 0 and .NanoCpus > 0 and .ReadonlyRootfs and
        .RestartPolicy.Name == "unless-stopped" and .LogConfig.Config["max-size"] == "10m"' ||
      { echo "$part has no limit, no rotation or no restart"; return 1; }
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
  [[ $(docker ps --format '{{.Ports}}') == *"127.0.0.1:$SECKILL_PORT->8080/tcp"* ]]
}

shop_answers() {
  verb logs demo | grep -o 'http://[^ ]*#token=[A-Za-z0-9._-]*' | tail -1
  local url
  url=$(verb logs demo | grep -o 'http://[^# ]*' | tail -1)
  [[ $(in_network curl -sf "$url") == *'<html'* ]]
}

balanced() { within 120 books_balance "$@"; }
books_balance() { [[ $(verb audit "$@" | tail -1) == BALANCED ]]; }

buy_and_pay() {
  local bought
  bought=$(verb buy alice 518)
  echo "$bought"
  verb pay "$(jq -r .orderSn <<<"$bought")" --user alice | grep PAID
  balanced 518
}

verbs() {
  verb sale create 7 --stock 3
  [[ $(verb token bob) =~ ^[^.]+\.[^.]+\.[^.]+$ ]]
  [[ $(verb limits) == *edge.global_qps* ]]
  verb limits product 7 qps 0
  sleep 3
  ! verb buy bob 7 >/dev/null || return 1
  verb limits product 7 qps default
  verb buy bob 7 | jq -e '.status == "ORDERED"'
  verb logs stock >"$RUN/log"
  grep -q StockApplication "$RUN/log"
  verb shard list
  verb status
  compose run -d --no-deps --entrypoint sleep cli 600 # as a verb that is at work; it is no part
  verb status
  docker ps -q --filter label=com.docker.compose.oneoff=True | xargs docker rm -f
}

without_edge() {
  local said
  compose stop edge # it ends with 0, as a job that is done
  ! verb status || return 1
  compose rm -f edge
  said=$(! verb status)
  grep -E '^edge +no .*no such container' <<<"$said"
  verb audit 518
  ! said=$(verb buy bob 518 2>&1) || return 1
  grep -F 'no answer from edge:8080; ./seckill --compose status says what runs' <<<"$said"
  compose up -d
  await_healthy
}

# In the words of docs/production.md, with a key of its own.
tls_front() {
  local dir=$RUN/tls token code=0
  mkdir "$dir"
  # shellcheck disable=SC2016 # Markdown's
  { echo 'events {} http {' && sed -n '/^```nginx/,/^```/{//!p}' "$REPO/docs/production.md" && echo '}'; } >"$dir/nginx.conf"
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout "$dir/shop.key" -out "$dir/shop.pem"
  docker run -d --name front --network host --user 0 -v "$dir:/front:ro" -v "$dir/shop.pem:/etc/ssl/shop.pem:ro" \
    -v "$dir/shop.key:/etc/ssl/shop.key:ro" --entrypoint /usr/local/openresty/bin/openresty "seckill/edge:$SECKILL_TAG" \
    -c /front/nginx.conf -g 'daemon off;'
  token=$(verb token tess)
  within 30 accepted_by_tls "$token" || code=1
  docker logs front
  docker rm -f front
  ((code == 0))
  balanced 518
}

accepted_by_tls() { # TOKEN
  [[ $(in_network curl -sk -X POST -H "Authorization: Bearer $1" -o /dev/null -w '%{http_code}' \
    'https://127.0.0.1/seckill/flash/sale/deduct?productId=518') == 202 ]]
}

# As if it crashed: for a container that `docker kill` ended stays down by intent.
slay() { kill -9 "$(docker inspect -f '{{.State.Pid}}' "$(container "$1")")"; }

kill_in_rush() { # PART
  rush "1${#1}" slay "$1"
  [[ $(docker inspect -f '{{.RestartCount}}' "$(container "$1")") == 1 ]]
}

# As an upgrade does it: another container of the same name.
replace_in_rush() { rush 300 compose up -d --force-recreate --no-deps order flash-sale stock edge; }

# rush PRODUCT COMMAND...: in its middle the command; who went away empty-handed comes again, and every unit
# has its order.
rush() {
  local product=$1 first
  verb sale create "$product" --stock "$RUSH_UNITS"
  verb limits product "$product" qps 10 # all at once would be sold before the command
  crowd "$product" 8 >"$RUN/crowd" &
  first=$!
  within 120 grep -q rush "$RUN/crowd"
  sleep 1
  "${@:2}"
  ! has_orders "$product" "$RUSH_UNITS" || { echo 'all was sold before'; return 1; }
  wait "$first"
  cat "$RUN/crowd"
  await_healthy >/dev/null
  verb limits product "$product" qps default
  within 240 sell_out "$product"
  balanced "$product"
}

sell_out() { crowd "$1" 1 && has_orders "$1" "$RUSH_UNITS"; }
has_orders() { [[ $(live_orders "$1") == "$2" ]]; } # PRODUCT NUMBER
live_orders() { verb audit "$1" --json | jq '.products[0].shards | map(.liveOrders) | add'; }

crowd() { # PRODUCT ROUNDS
  compose run --rm --no-deps -T -v "$REPO/test/images/crowd:/crowd:ro" --entrypoint /crowd cli "$1" 90 "$2" </dev/null
}

started() { docker inspect -f '{{.State.StartedAt}}' "$(container edge)"; }

healthy_and_balanced() {
  [[ $(started) != "$STARTED" ]] || { echo 'it was not'; return 1; }
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
  verb buy dora 518
  compose down
  up
  balanced
  verb status | grep -E '^demo +done'
  ! verb buy dora 518 >"$RUN/again" || return 1
  grep ALREADY_BOUGHT "$RUN/again"
}

# refused LINE: `up` fails, the job init said that line and no other, and nothing runs, or begins again.
refused() {
  local said
  compose down
  ! compose up -d || return 1
  said=$(docker logs "$(container init)" 2>&1)
  echo "$said"
  [[ $said == *"$1"* && $said != *$'\n'* ]]
  sleep 2
  [[ -z $(docker ps -q) ]]
}

with_prometheus() { compose -f "$REPO/compose.observe.yml" "$@"; }

observed() {
  local id
  docker run --rm --network none -v "$REPO/observe:/observe:ro" --entrypoint promtool "prom/prometheus:$PROMETHEUS_TAG" \
    test rules /observe/rules_test.yml
  with_prometheus up -d prometheus
  id=$(with_prometheus ps -q prometheus)
  within 180 four_up "$id"
  in_network curl -sf "http://127.0.0.1:$SECKILL_PROMETHEUS_PORT/api/v1/rules" | jq -e '.data.groups[0].rules | length == 12'
  within 60 all_measured
}

forget_prometheus() {
  with_prometheus rm -fsv prometheus
  docker volume rm "${COMPOSE_PROJECT_NAME}_prometheus" "${COMPOSE_PROJECT_NAME}_grafana"
}

# What the rules and the dashboard ask for is a counter of contracts/, which may not have counted yet, or there.
all_measured() {
  local name hop
  while IFS='{="' read -r name _ _ hop _; do
    jq -e --arg name "$name" --arg hop "$hop" 'any(.[]; .name == $name and (.hop == $hop or $hop == ""))' \
      "$REPO/contracts/counters.json" >/dev/null || present "$name" || { echo "nobody measures $name of $hop"; return 1; }
  done < <(jq -r '.. | .expr? // empty' "$REPO/observe/grafana/flash-sale.json" | cat - "$REPO/observe/rules.yml" |
    grep -oE '\b(seckill|jvm)_[a-z_]+(\{[^}]*\})?' | sort -u)
}

present() {
  in_network curl -sfG "http://127.0.0.1:$SECKILL_PROMETHEUS_PORT/api/v1/series" --data-urlencode "match[]=$1" | jq -e '.data != []'
}

four_up() { docker exec "$1" promtool query instant http://127.0.0.1:9090 'count(up == 1)' | grep '=> 4 '; }

load_by_k6() {
  verb load smoke --stock 20
  verb load spike --rate 60 --users 120 --stock 50 --duration 5s
}

lose_shard_volume() {
  compose rm -fs shard-2
  docker volume rm "${COMPOSE_PROJECT_NAME}_shard-2"
  compose up -d shard-2
  within 180 verb shard list
  balanced
}

# Shards that are as full as they may be lose nothing, and are not ended by the engine.
full_shards() {
  local shard
  for shard in 0 1 2; do
    [[ $(redis "shard-$shard" CONFIG GET maxmemory | tail -1) == 268435456 ]]
    redis "shard-$shard" CONFIG SET maxmemory 1mb
  done
  ! verb buy fred 518 >"$RUN/full" || return 1
  grep BUSY "$RUN/full"
  balanced
  for shard in 0 1 2; do redis "shard-$shard" CONFIG SET maxmemory 256mb; done
  verb buy fred 518 | grep ORDERED
  balanced
}

redis() { docker exec "$(container "$1")" redis-cli "${@:2}"; } # PART WORDS...

# In the words of docs/production.md; and somebody buys after the dump.
restore_database() {
  local orders
  compose exec -T mariadb mariadb-dump -uroot --single-transaction --databases seckill >"$RUN/dump"
  verb buy erin 518
  orders=$(live_orders 518)
  compose stop edge flash-sale order stock
  compose exec -T mariadb mariadb -uroot -e 'DROP DATABASE seckill'
  compose exec -T mariadb mariadb -uroot <"$RUN/dump"
  compose up -d
  await_healthy
  within 180 has_orders 518 "$orders"
  balanced
}

port_taken() {
  compose down
  nsenter --net="/proc/$NETWORK/ns/net" python3 -m http.server --bind 127.0.0.1 "$SECKILL_PORT" >/dev/null 2>&1 &
  local other=$! said
  within 30 in_network curl -sf -o /dev/null "http://127.0.0.1:$SECKILL_PORT/"
  ! said=$(compose up -d 2>&1) || { kill "$other"; return 1; }
  kill "$other"
  echo "$said"
  grep -q 'address already in use' <<<"$said"
  compose down
}

secrets() { compose run --rm --no-deps -T --entrypoint "$1" init "${@:2}" </dev/null; }

unsigned_volumes() {
  compose down
  secrets rm /var/lib/seckill/secrets/reservation-keys
  up
  verb buy gina 518 | grep ORDERED
  balanced
}

# They come back in the words of docs/production.md.
missing_secret() {
  local before
  before=$(secrets sha256sum /var/lib/seckill/secrets/{db-password,token-keys,payment-keys,reservation-keys})
  compose run --rm --no-deps -T --entrypoint tar cli -c -C /var/lib/seckill . >"$RUN/secrets.tar" </dev/null
  secrets sed -i 's/^[^#].*/& x/' /var/lib/seckill/secrets/payment-keys
  refused 'the secret payment-keys in the volume secrets is bad, line 2: must be KID SECRET'
  secrets rm /var/lib/seckill/secrets/db-password
  refused 'the secret db-password is missing'
  compose run --rm --no-deps -T --entrypoint tar init -x -C /var/lib/seckill <"$RUN/secrets.tar"
  [[ $(secrets sha256sum /var/lib/seckill/secrets/{db-password,token-keys,payment-keys,reservation-keys}) == "$before" ]]
}

older_volume() {
  secrets sed -i s/^layout=.*/layout=6/ /var/lib/seckill/.seckill
  refused 'the volumes have layout 6'
}

bad_limits() {
  SECKILL_MEMORY_MB=999999999 refused 'of memory, SECKILL_MEMORY_MB of .env wants 999999999'
  SECKILL_SERVICE_MEMORY=64m refused 'SECKILL_SERVICE_MEMORY of .env is 64m'
  SECKILL_REDIS_MEMORY=0.01g refused 'SECKILL_REDIS_MEMORY of .env is 0.01g'
  SECKILL_REDIS_DATA=300mb refused 'SECKILL_REDIS_DATA of .env is 300mb'
  SECKILL_EDGE_WORKERS=two refused 'SECKILL_EDGE_WORKERS of .env is two'
  SECKILL_LIMITER_USER=none refused 'SECKILL_LIMITER_USER of .env is none'
  SECKILL_BURST_MS=1s refused 'SECKILL_BURST_MS of .env is 1s'
  SECKILL_TRUSTED_PROXIES=proxy refused 'SECKILL_TRUSTED_PROXIES of .env is proxy'
}

leaves_nothing() {
  compose down -v -t 2 # that they stop by themselves is seen before
  [[ -z $(docker ps -aq)$(docker volume ls -q) ]]
  ! docker network ls --format '{{.Name}}' | grep seckill
}
