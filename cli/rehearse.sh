#: usage: ./seckill rehearse PRODUCT [--quick]
#: measures what this installation can do with a sale like PRODUCT's, and says which limits to set
#:
#: Makes a synthetic sale with the same limit per user and path, which no buyer sees, and measures refused,
#: accepted and landed per second with it; prints a table and the commands to copy, each with its reason,
#: and writes them to SECKILL_HOME/reports/. Costs real buyers throughput for some 20 s, 2 minutes at most:
#: limits of all products are raised as far as that needs and put back, and the sale is removed, also after
#: Ctrl-C. --quick measures for a second each: a smoke, whose figures are too rough to set limits by.
# shellcheck shell=bash

source "$LIB/load.sh"

verb_rehearse() {
  (($# == 1)) || [[ $# -eq 2 && $2 == --quick ]] || misuse 'one PRODUCT is wanted'
  need_product "$1"
  load_program rehearse "$@"
}
