#!/bin/sh
# Compiles, as cargo's wrapper around rustc for this workspace: with what libFuzzer watches where the crate is Docket's
# own, so that everything else is the release's. Overflows are findings.
case " $* " in
*" --crate-name docket "*"src/lib.rs "*)
  exec "$@" --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Coverflow-checks=on ;;
*) exec "$@" ;;
esac
