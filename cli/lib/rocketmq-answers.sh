#!/usr/bin/env bash
# rocketmq-answers.sh PORT CODE: a real request, for a wedged process still accepts connections: the name
# server must answer 106 (clusters), the broker 28 (runtime figures). Frame: length, header length, JSON
# header, body; the answer is read to its end, for a connection cut early is an error in their logs.
set -euo pipefail

header="{\"code\":$2,\"language\":\"JAVA\",\"version\":0,\"opaque\":1,\"flag\":0,\"serializeTypeCurrentRPC\":\"JSON\"}"
exec 3<>"/dev/tcp/127.0.0.1/$1"
# shellcheck disable=SC2059 # the format is the frame
printf "$(printf '\\x%02x' 0 0 0 $((${#header} + 4)) 0 0 0 ${#header})%s" "$header" >&3
read -r a b c d < <(head -c 4 <&3 | od -An -tu1)
[[ $(head -c $(((a << 24) + (b << 16) + (c << 8) + d)) <&3 | tr -d '\0') == *'"code":0,'* ]]
