# The demo sale, and where to buy from it.
# shellcheck shell=bash

# A fixed end far away: the demo is open whenever the shop is, and a repeat is no change.
make_demo_sale() {
  SECKILL_PORT=$PORT "$REPO/seckill" sale create 518 --stock 100 --price 9900 --name 'Demo phone' \
    --end 2099-12-31T00:00:00Z 9>&-
}

# The token rides in the fragment: the page reads it, no server or log ever sees it.
print_shop() { say "shop: http://127.0.0.1:$PORT/#token=$(SECKILL_PORT=$PORT "$REPO/seckill" token demo)"; }
