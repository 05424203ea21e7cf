#: usage: ./seckill load SCENARIO
#: runs a load scenario
# shellcheck shell=bash

verb_load() {
  misuse "there is no scenario '${1:-}'; none is written yet"
}
