# RocketMQ's name server and broker, from the jars that broker/pom.xml resolved.
# shellcheck shell=bash

source "$LIB/rocketmq-conf.sh"

# PART: the command up to the main class.
rocketmq_java() {
  heap_of "$1"
  rocketmq_flags "$(folder_of "$1")" "$REPO/broker/logback.xml"
  JAVA_COMMAND=("$JAVA/bin/java" "${HEAP[@]}" "${JVM_FLAGS[@]}" "${ROCKETMQ_FLAGS[@]}"
    -cp "$REPO/broker/target/classes:$(<"$REPO/broker/target/classpath.txt")")
}

fill_in() { # CONF PART
  fill_rocketmq "$REPO/broker/$1" "$(folder_of "$2")" 127.0.0.1 127.0.0.1 "$(port_of "$2")" "127.0.0.1:$NAMESRV_PORT"
}

start_namesrv() {
  local dir
  dir=$(folder_of namesrv)
  mkdir -p "$dir"
  fill_in namesrv.conf namesrv >"$dir/namesrv.conf"
  rocketmq_java namesrv
  launch namesrv "${JAVA_COMMAND[@]}" org.apache.rocketmq.namesrv.NamesrvStartup -c "$dir/namesrv.conf"
}

start_broker() {
  local dir
  dir=$(folder_of broker)
  first_topics "$REPO/broker" "$dir/store/config"
  fill_in broker.conf broker >"$dir/broker.conf"
  rocketmq_java broker
  launch broker "${JAVA_COMMAND[@]}" org.apache.rocketmq.broker.BrokerStartup -c "$dir/broker.conf"
}

rocketmq_healthy() { # PORT
  local code=106
  [[ $1 != "$BROKER_PORT" ]] || code=28
  timeout 2 bash "$LIB/rocketmq-answers.sh" "$1" "$code" 2>/dev/null
}
