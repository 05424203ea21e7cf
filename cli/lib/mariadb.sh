# MariaDB: a data folder, socket and conf of our own; nothing of the system's server is read.
# shellcheck shell=bash

DB_USER=seckill
mariadb_dir() { folder_of mariadb; }
mariadb_socket() { echo "$(mariadb_dir)/sock"; }

start_mariadb() {
  local dir user=()
  dir=$(mariadb_dir)
  ((EUID != 0)) || user=(--user=root) # mariadbd refuses to be root unless told
  mkdir -p "$dir"
  chmod 700 "$dir"
  mariadb_conf "$(mariadb_socket)" >"$dir/my.cnf"
  install_database "$dir" "${user[@]}"
  launch mariadb mariadbd --defaults-file="$dir/my.cnf" "${user[@]}"
}

# Into a folder beside, renamed when complete: a first start cut short leaves no half database. By a link,
# for mariadb-install-db breaks a path at its spaces.
install_database() {
  local dir=$1 link
  [[ ! -d $dir/data ]] || return 0
  rm -rf "$dir/data.new"
  link=$(mktemp -d)
  ln -s "$dir" "$link/mariadb"
  mariadb-install-db --no-defaults --datadir="$link/mariadb/data.new" --auth-root-authentication-method=normal \
    --skip-test-db --skip-name-resolve "${@:2}" >"$dir/install.log" 2>&1 || {
    rm -r "$link"
    die "mariadb could not make its data folder; read $dir/install.log"
  }
  rm -r "$link"
  mv "$dir/data.new" "$dir/data"
}

mariadb_conf() {
  cat <<CONF
[mariadbd]
bind-address = 127.0.0.1
port = $MARIADB_PORT
socket = $1
datadir = $(mariadb_dir)/data
tmpdir = $(mariadb_dir)/tmp
pid-file = $(mariadb_dir)/mariadbd.pid
!include $REPO/mariadb/mariadb.cnf
CONF
}

# As the services come in: over TCP, with the generated password. Before the user exists (first start)
# root through the socket will do; prepare_database follows at once.
mariadb_healthy() {
  local dir
  dir=$(mariadb_dir)
  if [[ -f $dir/client.cnf ]]; then
    timeout 3 mariadb --defaults-file="$dir/client.cnf" -e 'SELECT 1' >/dev/null 2>&1
  else
    root_sql 'SELECT 1' >/dev/null 2>&1
  fi
}

root_sql() { timeout 10 mariadb --no-defaults -uroot --socket="$(mariadb_socket)" -N -e "$1"; }

# Database, and a user with rights on it alone. root has no password but only the socket, whose folder
# nobody else may enter. The password goes in through stdin, never through an argument.
prepare_database() {
  local dir
  dir=$(mariadb_dir)
  [[ ! -f $dir/client.cnf ]] || return 0
  timeout 10 mariadb --no-defaults -uroot --socket="$(mariadb_socket)" <<SQL || die "mariadb refused to make the database; read $(log_of mariadb)"
CREATE DATABASE IF NOT EXISTS seckill CHARACTER SET utf8mb4;
CREATE OR REPLACE USER $DB_USER@'127.0.0.1' IDENTIFIED BY '$(db_password)';
GRANT ALL ON seckill.* TO $DB_USER@'127.0.0.1';
DROP USER IF EXISTS root@'127.0.0.1', root@'::1';
DELETE FROM mysql.global_priv WHERE User = '';
FLUSH PRIVILEGES;
SQL
  (
    umask 077
    printf '[client]\nprotocol = tcp\nhost = 127.0.0.1\nport = %s\nuser = %s\npassword = %s\ndatabase = seckill\n' \
      "$MARIADB_PORT" "$DB_USER" "$(db_password)" >"$dir/client.cnf.new"
    mv "$dir/client.cnf.new" "$dir/client.cnf"
  )
}
