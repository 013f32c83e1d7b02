#!/usr/bin/env python3
"""set_aside.py FOLDER OUT: divides the development rows of FOLDER/dev into OUT/tune (four fifths) and OUT/aside (one fifth).

A row is set aside by the hash of the seed and its id, so that every run makes the same cut. The rows of `real-use.md` are cut by their
number. Rules are written and models are trained with OUT/tune; OUT/aside is scored once, at the end.
"""
import hashlib
import json
import pathlib
import sys

SEED = "33"
SETS = ["single_turn.jsonl", "dialogues.jsonl", "dates.jsonl"]


def is_aside(name):
    return hashlib.sha256(f"{SEED}:{name}".encode()).digest()[0] % 5 == 0


def main(folder, out):
    dev = pathlib.Path(folder) / "dev"
    parts = {part: pathlib.Path(out) / part for part in ("tune", "aside")}
    for part in parts.values():
        part.mkdir(parents=True, exist_ok=True)

    def write(name, lines, key):
        cut = {"tune": [], "aside": []}
        for line in lines:
            cut["aside" if is_aside(key(line)) else "tune"].append(line)
        for part, path in parts.items():
            (path / name).write_text("".join(line + "\n" for line in cut[part]))
        print(name, {part: len(kept) for part, kept in cut.items()})

    for name in SETS:
        write(name, (dev / name).read_text().splitlines(), lambda line: json.loads(line)["id"])
    rows = [line for line in (dev / "real-use.md").read_text().splitlines() if line.startswith("| ") and line[2].isdigit()]
    write("real-use.md", rows, lambda line: "real-use " + line.split("|")[1].strip())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
