#!/usr/bin/env bash
# schemathesis.sh DOCKET [SECONDS]: sends a throw-away server of the binary DOCKET what its own description allows and forbids, for 120
# seconds when not told: with an admin's token of every scope, and then as long with a session to what a token may not do. Fails on an
# answer of 5xx, on an undocumented status and on a body that is not as described. Run by hand: it installs schemathesis from PyPI into
# a cache folder on first use.
set -euo pipefail
docket=$(realpath "${1:?the docket binary}")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/docket-checks/schemathesis
[ -x "$cache/bin/schemathesis" ] || { python3 -m venv "$cache"; "$cache/bin/pip" install -q schemathesis; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/docket-api.XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
export DOCKET_DATABASE_URL=sqlite://$folder/docket.db DOCKET_ADDR=127.0.0.1:0 DOCKET_LOG=warn DOCKET_RATE_LIMIT_PER_MINUTE=0
"$docket" serve > "$folder/out" & server=$!
for _ in $(seq 100); do grep -q "Docket is at" "$folder/out" && break; sleep 0.1; done
url=$(sed -n 's/^Docket is at //p' "$folder/out")
echo "a long test password" | "$docket" user add ada --password-stdin --admin > /dev/null
echo "a long test password" | "$docket" user add bob --password-stdin > /dev/null
token=$("$docket" token create --user ada --name check --scope chat,tasks:read,tasks:write,tasks:delete,audit,admin 2> /dev/null)
# Some tasks, so that there is something to find, to change and to undo.
for title in milk eggs bread; do
  curl -sf -H "Authorization: Bearer $token" -d "title=$title" "$url/api/v1/tasks/add" > /dev/null
done
# And a request that waits, to be looked at, extended and answered.
curl -sf -H "Authorization: Bearer $token" -d "message=delete task 3" "$url/api/v1/chat" > /dev/null
curl -sf -c "$folder/jar" -o /dev/null -H "Origin: $url" -d "name=ada" --data-urlencode "password=a long test password" "$url/api/v1/session/sign-in"
cookie=$(awk '/session/ { print $6 "=" $7 }' "$folder/jar")
cd "$folder"

# send SECONDS OPTION…
send() {
  timeout --signal=INT --preserve-status "$(($1 + 30))" "$cache/bin/schemathesis" run "$url/api/openapi.json" "${@:2}" \
    --workers 2 --max-time "$1" --continue-on-failure \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance
}

failed=0
# The event stream never ends, and is tried elsewhere.
send "${2:-120}" -H "Authorization: Bearer $token" --exclude-path /api/v1/events || failed=1
# All but what ends the session itself.
send "${2:-120}" -H "Cookie: $cookie" -H "Origin: $url" --include-path-regex '^/api/v1/(settings|session|telegram|rendered|admin)/' \
  --exclude-path-regex '/(sign-out|sign-in|join|password|erase)$' || failed=1
exit $failed
