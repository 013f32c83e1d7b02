#!/bin/sh
# Compiles, as cargo's wrapper around rustc for this workspace: with what libFuzzer watches where the crate is Docket's
# own, so that everything else is the release's. Overflows are findings. Comparisons are not watched: that makes everything
# some seven times slower, and how long a text is read is what is asked.
case " $* " in
*" --crate-name docket "*"src/lib.rs "* | *" --crate-name docket_kernel "*"src/kernel.rs "*)
  exec "$@" --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Coverflow-checks=on ;;
*) exec "$@" ;;
esac
