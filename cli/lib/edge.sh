# The edge: nginx with the configuration that nginx/render writes into the part's folder.
# shellcheck shell=bash

start_edge() {
  local dir
  dir=$(folder_of edge)
  mkdir -p "$dir"
  service_environment
  env "${SERVICE_ENV[@]}" "$REPO/nginx/render" "$dir" || die "edge: nginx/render could not write its configuration into $dir"
  launch edge nginx -p "$dir" -c nginx.conf -e "$dir/error.log"
}
