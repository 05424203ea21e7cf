# The edge: nginx with the configuration that nginx/render writes into the part's folder.
# shellcheck shell=bash

# The nginx that runs: SECKILL_NGINX, or the one on the PATH, or OpenResty by its own name.
edge_nginx() {
  if [[ -z ${SECKILL_NGINX-} ]] && ! command -v nginx >/dev/null && command -v openresty >/dev/null; then
    echo openresty
  else
    echo "${SECKILL_NGINX:-nginx}"
  fi
}

# OpenResty brings Lua and every library that Debian has in packages of their own.
edge_is_openresty() { [[ $("$(edge_nginx)" -V 2>&1) == 'nginx version: openresty/'* ]]; }

start_edge() {
  local dir nginx
  dir=$(folder_of edge)
  nginx=$(edge_nginx)
  mkdir -p "$dir"
  service_environment
  env "${SERVICE_ENV[@]}" SECKILL_NGINX="$nginx" "$REPO/nginx/render" "$dir" ||
    die "edge: nginx/render could not write its configuration into $dir"
  launch edge "$nginx" -p "$dir" -c nginx.conf -e "$dir/error.log"
}
