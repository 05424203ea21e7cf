# The three Spring Boot services.
# shellcheck shell=bash

# module_of PART
module_of() { echo "$1-service"; }
jar_of() { echo "$REPO/$(module_of "$1")/target/$(module_of "$1").jar"; }

SERVICES=(stock flash-sale order)

# app_of PART: app.jar, its libraries beside it, and app.aot once a JVM has been trained. The build replaces
# the folder and never writes into it, so copies may be hard links.
app_of() { echo "$REPO/$(module_of "$1")/target/app"; }

# start_service PART [FLAG...]
# Runs from a copy: a build beside a running copy must not change classes under it.
start_service() {
  local part=$1 dir app
  dir=$(folder_of "$part")
  app=$(app_of "$part")
  rm -rf "$dir/app"
  mkdir -p "$dir"
  cp -al "$app" "$dir/app" 2>/dev/null || { rm -rf "$dir/app" && cp -a "$app" "$dir/app"; } ||
    die "$part (port $(port_of "$part")): $app could not be copied into $dir; make room, run ./seckill up again"
  heap_of "$part"
  [[ ! -f $dir/app/app.aot ]] || HEAP+=("${AOT_CACHE[@]}")
  service_environment
  SECKILL_DB_PASSWORD=$(db_password) launch "$part" env "${SERVICE_ENV[@]}" \
    "$JAVA/bin/java" "${HEAP[@]}" "${JVM_FLAGS[@]}" "${@:2}" -jar app/app.jar
}

# Once for a build: each service is started, stopped when it is healthy, and what its JVM has learnt (which
# classes there are, linked; what is called how often) is kept beside its jar, so that every later start takes
# half as long. Only a JDK of 25 or newer can; one that fails to is no reason not to start.
train_services() {
  ((${#AOT_CACHE[@]})) || return 0
  local part app
  for part in "${SERVICES[@]}"; do
    [[ ! -f $(app_of "$part")/app.aot ]] || return 0
    ! pid_of "$part" >/dev/null || return 0
  done
  step "first start of this build: ${SERVICES[*]} are started once to learn how"
  for part in "${SERVICES[@]}"; do start_part "$part" -XX:AOTCacheOutput=learnt.aot; done
  await_parts "${SERVICES[@]}"
  SERVICE_STOP_S=$START_LIMIT_S stop_parts "${SERVICES[@]}"
  for part in "${SERVICES[@]}"; do
    app=$(app_of "$part")
    { mv "$(folder_of "$part")/learnt.aot" "$app/app.aot.$$" && mv "$app/app.aot.$$" "$app/app.aot"; } ||
      warn "$part has learnt nothing, and starts as slowly as now; $(log_of "$part") says why"
  done
}

# Where everything is, for services and edge alike; into SERVICE_ENV.
service_environment() {
  SERVICE_ENV=(
    SECKILL_HOME="$HOME_DIR"
    SECKILL_PORT="$PORT"
    SECKILL_EDGE_INTERNAL_PORT="$EDGE_INTERNAL_PORT"
    SECKILL_FLASH_SALE_PORT="$FLASH_SALE_PORT"
    SECKILL_ORDER_PORT="$ORDER_PORT"
    SECKILL_STOCK_PORT="$STOCK_PORT"
    SECKILL_CONTROL_REDIS="redis://127.0.0.1:$CONTROL_PORT"
    SECKILL_SHARDS="$(shard_addresses)"
    SECKILL_NAMESRV="127.0.0.1:$NAMESRV_PORT"
    SECKILL_DB_URL="jdbc:mariadb://127.0.0.1:$MARIADB_PORT/seckill?sslMode=disable"
    SECKILL_DB_USER="$DB_USER"
    SECKILL_TOKEN_KEYS="$TOKEN_KEYS"
    SECKILL_PAYMENT_KEYS="$PAYMENT_KEYS"
    SECKILL_RESERVATION_KEYS="$RESERVATION_KEYS"
    SECKILL_SPOOL="$HOME_DIR/flash-sale/spool"
  )
}
