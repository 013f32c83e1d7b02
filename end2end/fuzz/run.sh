#!/usr/bin/env bash
# run.sh TARGET[-PART] PROGRAMS CORPORA: lets a fuzz target, or a part of it that has a name, run for FUZZ_SECONDS (120), from the
# project's own sentences on. What it finds lies in its folder of CORPORA beside what it has learned; a finding fails.
set -euo pipefail
name=$1 target=${1%%-*} corpus=$3/$1
program=$2/$target
case $name in *-*) export FUZZ_DOOR=${name#*-} ;; esac
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
mkdir -p "$corpus/learned" "$corpus/seeds"

# Every line is a seed. A target's own seeds lie in seeds/TARGET.txt; \n stands for a line break.
{
  cat "$here/seeds/$target.txt" 2>/dev/null || true
  case $target in
  rules | dates)
    tr -d '[]' <"$root/src/domain/when/dated.txt"
    head -n 100 "$root/src/domain/when/titles.txt"
    ;;&
  rules) grep -oE '"turns": \[[^]]*' "$root/end2end/server/dialogues.jsonl" | grep -oE '"[^"]+"' | tr -d '"' | grep -vx turns ;;
  esac
} | sort -u | {
  number=0
  while IFS= read -r line; do
    number=$((number + 1))
    printf '%b' "$line" >"$corpus/seeds/$number"
  done
}

echo "fuzz: $name for ${FUZZ_SECONDS:-120} s, from $(find "$corpus/seeds" -type f | wc -l) sentences"
"$program" -max_total_time="${FUZZ_SECONDS:-120}" -max_len=8000 -timeout=10 -rss_limit_mb=2048 \
  -artifact_prefix="$corpus/finding-" -print_final_stats=1 "$corpus/learned" "$corpus/seeds" 2>"$corpus/log" || {
  grep -aE 'panicked|characters took|ERROR|Test unit written' -A2 "$corpus/log" >&2 || tail -n 20 "$corpus/log" >&2
  echo "fuzz: $name failed; $corpus/log tells all" >&2
  exit 1
}
grep -aE 'number_of_executed_units|new_units_added|slowest_unit|peak_rss' "$corpus/log" | sed "s/^/fuzz: $name: /"
