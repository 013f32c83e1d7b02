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

. "$here/server.sh"
"$cache/venv/bin/python" "$here/client.py" "$url/mcp" "$DOCKET_TOKEN"
"$cache/venv/bin/python" "$here/client.py" --stdio "$docket"
cp "$here/client.mjs" "$cache/client.mjs"
node "$cache/client.mjs" "$url/mcp" "$DOCKET_TOKEN"
node "$cache/client.mjs" --stdio "$docket"
