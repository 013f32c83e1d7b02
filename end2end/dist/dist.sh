#!/usr/bin/env bash
# dist.sh SITE TOOLS OUT TARGET…: small static binaries to hand out, with SHA-256 sums, a bill of materials (CycloneDX) and the licences of
# all crates in them. The same source makes the same bytes, whatever the folder.
set -euo pipefail
site=$1 tools=$2 out=$3
shift 3
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
cargo_home=${CARGO_HOME:-$HOME/.cargo}

# zig brings a C compiler and a linker for every target; both come from PyPI.
zig=$tools/zig
if ! "$zig/bin/cargo-zigbuild" --version >/dev/null 2>&1; then
  python3 -m venv "$zig"
  "$zig/bin/pip" install --quiet cargo-zigbuild==0.24.1 ziglang==0.17.1
fi
if ! "$tools/bin/cargo-cyclonedx" --version >/dev/null 2>&1; then
  cargo install cargo-cyclonedx --version 0.5.9 --locked --root "$tools"
fi
export PATH=$zig/bin:$tools/bin:$PATH
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

# Folders of this machine become names.
remap="--remap-path-prefix=$PWD=docket --remap-path-prefix=$CARGO_TARGET_DIR=target --remap-path-prefix=$cargo_home=cargo"
maps="-ffile-prefix-map=$PWD=docket -ffile-prefix-map=$CARGO_TARGET_DIR=target -ffile-prefix-map=$cargo_home=cargo"

mkdir -p "$out"
for target in "$@"; do
  [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || rustup target add "$target"
  echo "dist: $target"
  DOCKET_SITE=$site RUSTFLAGS=$remap CFLAGS=$maps cargo zigbuild --profile dist --bin docket --target "$target"
  name=$out/docket-$version-$target
  install -m 755 "$CARGO_TARGET_DIR/$target/dist/docket" "$name"
  cargo cyclonedx --format json --spec-version 1.5 --target "$target" --override-filename docket.cdx
  mv docket.cdx.json "$name.cdx.json"
  rm -f end2end/fuzz/docket.cdx.json
  node end2end/dist/licences.mjs "$target" > "$name.licences.txt"
  end2end/dist/smoke.sh "$name" "$target"
done
(cd "$out" && sha256sum -- docket-* > SHA256SUMS)
ls -l "$out"
