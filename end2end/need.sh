#!/usr/bin/env bash
# need.sh PROGRAM PACKAGE: makes sure that chromium or postgresql is there; installs the Debian package where it may, else says so.
set -euo pipefail

program=$1 package=$2

present() {
  case $program in
    chromium) command -v chromium || command -v chromium-browser || command -v google-chrome ;;
    postgresql) command -v initdb || ls /usr/lib/postgresql/*/bin/initdb ;;
    *) command -v "$program" ;;
  esac >/dev/null 2>&1
}

present && exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then as_root=(sudo -n); fi
if command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then
  echo "test: installing the package $package"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null
  present && exit 0
fi
echo "The tests need $package, which may not be installed from here: install it (on Debian or Ubuntu: sudo apt-get install $package) and run make test again." >&2
exit 1
