# What the machine must have, and how it gets it: Debian's packages, nothing started, nothing enabled.
# shellcheck shell=bash disable=SC2034 # read by those that source this

INSTALL_LIMIT_S=300

# "program or file, then the package that brings it". mariadb-server-core is the server's program
# without the system's service, its user, or its data in /var; a mariadbd that is there already will do.
NEEDED='
redis-server                                   redis-server
redis-cli                                      redis-tools
mariadbd                                       mariadb-server-core
mariadb-install-db                             mariadb-server-core
mariadb                                        mariadb-client-core
curl                                           curl
jq                                             jq
'
# Where the edge is not OpenResty's.
NEEDED_BY_EDGE='
nginx                                          nginx
/usr/lib/nginx/modules/ngx_http_lua_module.so  libnginx-mod-http-lua
/usr/share/lua/5.1/resty/core.lua              lua-resty-core
/usr/share/lua/5.1/resty/lrucache.lua          lua-resty-lrucache
/usr/share/lua/5.1/nginx/redis.lua             lua-nginx-redis
/usr/share/lua/5.1/nginx/string.lua            lua-nginx-string
/usr/lib/*/lua/5.1/cjson.so                    lua-cjson
'
# luajit2, for the package luajit and nginx's Lua module exclude each other.
NEEDED_BY_TESTS='
shellcheck                                     shellcheck
luacheck                                       lua-check
busted                                         lua-busted
luajit                                         luajit2
bats                                           bats
/usr/lib/*/faketime/libfaketime.so.1           libfaketime
ss                                             iproute2
'
# What test/compose wants.
NEEDED_BY_CONTAINERS='
dockerd                                        docker.io
docker                                         docker.io
docker-compose                                 docker-compose
debootstrap                                    debootstrap
iptables                                       iptables
ip                                             iproute2
curl                                           curl
jq                                             jq
openssl                                        openssl
'

is_there() {
  case $1 in
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

needed_by_edge() { edge_is_openresty || printf '\n%s' "$NEEDED_BY_EDGE"; }

# missing_packages TABLE
missing_packages() {
  local probe package
  while read -r probe package; do
    [[ -z $probe ]] || is_there "$probe" || echo "$package"
  done <<<"$1" | sort -u
}

# install_missing TABLE
install_missing() {
  local packages log=/dev/null as_root=()
  packages=$(missing_packages "$1" | tr '\n' ' ')
  [[ -n $packages ]] || return 0
  command -v apt-get >/dev/null || die "missing: ${packages% }; there is no apt-get here, install them by hand"
  if ((EUID != 0)); then
    as_root=(sudo -n)
    sudo -n true 2>/dev/null ||
      die "missing: ${packages% }; run as root: bash $LIB/apt-install.sh ${packages% } (it starts no service)"
  fi
  log=$(mktemp)
  step "installing by apt, without starting any service: ${packages% }"
  # shellcheck disable=SC2086 # one word per package
  shown "$log" "${as_root[@]}" timeout -k 10 "$INSTALL_LIMIT_S" bash "$LIB/apt-install.sh" $packages || {
    { grep -A 1 'will be REMOVED' "$log" || true; tail -n 5 "$log"; } >&2
    die "apt could not install ${packages% }; read $log, then try again"
  }
  rm -f "$log"
}
