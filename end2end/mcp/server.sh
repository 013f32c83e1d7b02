# Sourced: starts a throw-away server of the binary $docket, and sets $url and DOCKET_TOKEN, a token of every scope that tools need.
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
