# The three Spring Boot services.
# shellcheck shell=bash

# module_of PART
module_of() { echo "$1-service"; }
jar_of() { echo "$REPO/$(module_of "$1")/target/$(module_of "$1").jar"; }

# Runs from a copy of the jar: a build beside a running copy must not change classes under it.
start_service() {
  local part=$1 dir profile=(-Xms32m -Xmx192m "${CHEAP_START[@]}")
  [[ $part != flash-sale ]] || profile=("${FAST_RUN[@]}")
  dir=$(folder_of "$part")
  mkdir -p "$dir"
  { cp --reflink=auto "$(jar_of "$part")" "$dir/app.jar.new" && mv "$dir/app.jar.new" "$dir/app.jar"; } ||
    die "$part (port $(port_of "$part")): its jar could not be copied into $dir; make room, run ./seckill up again"
  service_environment
  SECKILL_DB_PASSWORD=$(db_password) launch "$part" env "${SERVICE_ENV[@]}" \
    "$JAVA/bin/java" "${profile[@]}" "${JVM_FLAGS[@]}" -jar app.jar
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
  )
}
