# RocketMQ's name server and broker, from the jars that broker/pom.xml resolved.
# shellcheck shell=bash

# PART HEAP... : the command up to the main class. TLS off: it would serve a certificate made up at start.
rocketmq_java() {
  local dir
  dir=$(folder_of "$1")
  JAVA_COMMAND=("$JAVA/bin/java" "${@:2}" "${CHEAP_START[@]}" "${JVM_FLAGS[@]}"
    -Dfastjson2.parser.safeMode=true -Dtls.server.mode=disabled
    -Duser.home="$dir" -Drocketmq.home.dir="$dir"
    -Drmq.logback.configurationFile="$REPO/broker/logback.xml"
    -cp "$REPO/broker/target/classes:$(<"$REPO/broker/target/classpath.txt")")
}

# The conf templates know $HOME_DIR and the ports only.
fill_in() {
  sed -e "s|@DIR@|$(folder_of "$2")|g" -e "s|@PORT@|$(port_of "$2")|g" \
    -e "s|@NAMESRV@|127.0.0.1:$NAMESRV_PORT|g" "$REPO/broker/$1"
}

start_namesrv() {
  local dir
  dir=$(folder_of namesrv)
  mkdir -p "$dir"
  fill_in namesrv.conf namesrv >"$dir/namesrv.conf"
  rocketmq_java namesrv -Xms32m -Xmx96m
  launch namesrv "${JAVA_COMMAND[@]}" org.apache.rocketmq.namesrv.NamesrvStartup -c "$dir/namesrv.conf"
}

# Topics and groups are the broker's own config files, put there before its first start: they exist
# before anybody uses them, without an admin tool's JVM for each. Later the files are the broker's.
start_broker() {
  local dir config
  dir=$(folder_of broker)
  config=$dir/store/config
  mkdir -p "$config"
  fill_in broker.conf broker >"$dir/broker.conf"
  [[ -f $config/topics.json ]] || cp "$REPO/broker/topics.json" "$config/topics.json"
  [[ -f $config/subscriptionGroup.json ]] || cp "$REPO/broker/groups.json" "$config/subscriptionGroup.json"
  rocketmq_java broker -Xms96m -Xmx256m -XX:MaxDirectMemorySize=128m
  launch broker "${JAVA_COMMAND[@]}" org.apache.rocketmq.broker.BrokerStartup -c "$dir/broker.conf"
}

# A real request, for a wedged process still accepts connections: the name server must answer
# 106 (clusters), the broker 28 (runtime figures). Frame: length, header length, JSON header, body; the
# answer is read to its end, for a connection cut early is an error in their logs.
rocketmq_healthy() {
  local code=106
  [[ $1 != "$BROKER_PORT" ]] || code=28
  # shellcheck disable=SC2016 # for the inner shell
  timeout 2 bash -c '
    header="{\"code\":$1,\"language\":\"JAVA\",\"version\":0,\"opaque\":1,\"flag\":0,\"serializeTypeCurrentRPC\":\"JSON\"}"
    exec 3<>"/dev/tcp/127.0.0.1/$0" || exit 1
    printf "$(printf "\\\\x%02x" 0 0 0 $((${#header} + 4)) 0 0 0 ${#header})%s" "$header" >&3
    read -r a b c d < <(head -c 4 <&3 | od -An -tu1)
    head -c $(((a << 24) + (b << 16) + (c << 8) + d)) <&3 | tr -d "\0" | grep -q "\"code\":0,"
  ' "$1" "$code" 2>/dev/null
}
