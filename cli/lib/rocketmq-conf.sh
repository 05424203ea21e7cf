# What RocketMQ's two servers find when they start, native or in containers.
# shellcheck shell=bash

# fill_rocketmq TEMPLATE DIR BIND HOST PORT NAMESRV: HOST is the name by which clients reach the broker.
fill_rocketmq() {
  sed -e "s|@DIR@|$2|g" -e "s|@BIND@|$3|g" -e "s|@HOST@|$4|g" -e "s|@PORT@|$5|g" -e "s|@NAMESRV@|$6|g" "$1"
}

# first_topics FROM CONFIG: topics and groups are the broker's own config files, put there before its first
# start: they exist before anybody uses them, without an admin tool's JVM for each. Later the files are the
# broker's.
first_topics() {
  mkdir -p "$2"
  [[ -f $2/topics.json ]] || cp "$1/topics.json" "$2/topics.json"
  [[ -f $2/subscriptionGroup.json ]] || cp "$1/groups.json" "$2/subscriptionGroup.json"
}
