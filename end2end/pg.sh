#!/usr/bin/env bash
# pg.sh COMMAND…: runs COMMAND with DOCKET_TEST_POSTGRES_URL pointing to a PostgreSQL cluster of its own, on loopback and a free
# port, in a temporary folder; both are gone afterwards. A URL that is already set is used as it is.
set -euo pipefail

if [ -n "${DOCKET_TEST_POSTGRES_URL:-}" ]; then exec "$@"; fi

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
if [ ! -x "$bin/initdb" ]; then
  bin=$(dirname "$(command -v initdb || true)")
fi
if [ ! -x "$bin/initdb" ]; then
  echo "PostgreSQL's initdb was not found: install the package postgresql." >&2
  exit 1
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/docket-pg.XXXXXX")
# PostgreSQL refuses to run as root.
as_user=()
if [ "$(id -u)" = 0 ]; then
  user=postgres
  id "$user" >/dev/null 2>&1 || user=nobody
  chown "$user" "$folder"
  as_user=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env "HOME=$folder")
fi
pg() { (cd "$folder" && "${as_user[@]}" "$@"); }

stop() {
  pg "$bin/pg_ctl" -D "$folder/data" -m immediate -s stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

pg "$bin/initdb" -D "$folder/data" -U docket -A trust -E UTF8 --no-locale --no-sync >/dev/null

# Durability is no subject of tests, but of measurements, which set DOCKET_PG_DURABLE.
durability="-c fsync=off -c full_page_writes=off -c synchronous_commit=off"
if [ -n "${DOCKET_PG_DURABLE:-}" ]; then durability=; fi

# A free port is found by trying.
started=
for _ in 1 2 3 4 5 6 7 8 9 10; do
  port=$((20000 + (RANDOM * 32768 + RANDOM) % 20000))
  options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=300 -c shared_buffers=64MB $durability"
  if pg "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -o "$options" -w -t 60 start >/dev/null 2>&1; then
    started=yes
    break
  fi
done
if [ -z "$started" ]; then
  echo "The PostgreSQL of the tests did not start:" >&2
  cat "$folder/log" >&2
  exit 1
fi

export DOCKET_TEST_POSTGRES_URL="postgres://docket@127.0.0.1:$port/postgres"
status=0
"$@" || status=$?
exit "$status"
