#!/usr/bin/env bash
# smoke.sh BINARY TARGET: starts the binary once, under qemu-user where the processor is another one, and asks whether it is ready.
set -euo pipefail
binary=$(realpath "$1")
run=()
if [[ $2 != "$(uname -m)"-* ]]; then
  end2end/need.sh "qemu-${2%%-*}-static" qemu-user-static
  run=("qemu-${2%%-*}-static")
fi
folder=$(mktemp -d)
cd "$folder"
env -i PATH="$PATH" DOCKET_ADDR=127.0.0.1:0 "${run[@]}" "$binary" serve > out 2> err &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 600); do
  url=$(sed -n 's/^Docket is at //p' out)
  if [ -n "$url" ] && curl --silent --fail --output /dev/null "$url/readyz" && curl --silent --fail --output /dev/null "$url/pkg/docket.wasm"; then
    echo "dist: $(basename "$binary") serves"
    exit 0
  fi
  kill -0 $server 2>/dev/null || break
  sleep 0.1
done
echo "dist: $(basename "$binary") did not become ready:" >&2
cat out err >&2
exit 1
