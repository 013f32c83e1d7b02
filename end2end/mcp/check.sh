#!/usr/bin/env bash
# check.sh DOCKET: tries the official Python and TypeScript clients on a throw-away server of the binary DOCKET, over HTTP and over
# standard input and output. Run by hand: it installs the clients from PyPI and npm into a cache folder on first use.
set -euo pipefail
docket=$(realpath "${1:?the docket binary}")
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/docket-checks/clients
mkdir -p "$cache"
[ -x "$cache/venv/bin/python" ] || { python3 -m venv "$cache/venv"; "$cache/venv/bin/pip" install -q mcp; }
[ -d "$cache/node_modules/@modelcontextprotocol/sdk" ] || npm i --silent --no-fund --no-audit --prefix "$cache" @modelcontextprotocol/sdk

folder=$(mktemp -d "${TMPDIR:-/tmp}/docket-mcp.XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
export DOCKET_DATABASE_URL=sqlite://$folder/docket.db DOCKET_ADDR=127.0.0.1:0 DOCKET_LOG=warn DOCKET_RATE_LIMIT_PER_MINUTE=0
"$docket" serve > "$folder/out" & server=$!
for _ in $(seq 100); do grep -q "Docket is at" "$folder/out" && break; sleep 0.1; done
url=$(sed -n 's/^Docket is at //p' "$folder/out")
echo "a long test password" | "$docket" user add ada --password-stdin > /dev/null
DOCKET_TOKEN=$("$docket" token create --user ada --name check --scope tasks:read,tasks:write,tasks:delete 2> /dev/null)
export DOCKET_TOKEN
"$cache/venv/bin/python" "$here/client.py" "$url/mcp" "$DOCKET_TOKEN"
"$cache/venv/bin/python" "$here/client.py" --stdio "$docket"
cp "$here/client.mjs" "$cache/client.mjs" && node "$cache/client.mjs" "$url/mcp" "$DOCKET_TOKEN"
