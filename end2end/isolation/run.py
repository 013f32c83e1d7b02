#!/usr/bin/env python3
"""Takes the owner out of one query at a time and sees whether a test notices.

    end2end/pg.sh end2end/isolation/run.py [--count 30] [--seed 1] [--all]

Each `user_id = $n` in src/store becomes `(user_id = $n OR TRUE)`: the query still takes its values and finds other people's rows. The
narrow test, which calls every function of the store with a stranger's id, has to fail then; one that passes is named at the end, and
the exit status is 1. Works on a copy of the sources in a temporary folder, so that nothing is lost when it is broken off; run it
overnight: a mutant costs a build of the library's tests.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWNER = re.compile(r"(?:\b\w+\.)?\buser_id = \$\d+")
TEST = ["cargo", "test", "--quiet", "--lib", "store::tests::owners"]


def places():
    """Every predicate that names an owner: file and offsets. Comments and the tests are not searched."""
    for path in sorted((ROOT / "src/store").glob("*.rs")):
        text = path.read_text()
        for found in OWNER.finditer(text):
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            if "//" not in line:
                yield path.relative_to(ROOT), found.start(), found.end()


def run(folder, environment):
    """Whether the sources compile, and whether the test passes."""
    built = subprocess.run([*TEST, "--no-run"], cwd=folder, env=environment, capture_output=True, text=True)
    if built.returncode:
        return False, False
    return True, subprocess.run(TEST, cwd=folder, env=environment, capture_output=True, text=True).returncode == 0


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=30)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--all", action="store_true")
    options = options.parse_args()
    if not os.environ.get("DOCKET_TEST_POSTGRES_URL"):
        print("Only SQLite is tried; end2end/pg.sh gives PostgreSQL as well.", file=sys.stderr)

    chosen = list(places())
    total = len(chosen)
    if not options.all:
        chosen = random.Random(options.seed).sample(chosen, min(options.count, total))
    missed, unbuilt = [], []
    with tempfile.TemporaryDirectory(prefix="docket-isolation.") as folder:
        folder = Path(folder)
        skipped = shutil.ignore_patterns("target", "node_modules", ".git")
        shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=skipped)
        environment = {**os.environ, "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(folder / "target"))}
        if run(folder, environment) != (True, True):
            sys.exit("The test does not pass as the sources are; nothing can be learned.")
        for number, (path, begin, end) in enumerate(chosen, 1):
            text = (ROOT / path).read_text()
            line = text.count("\n", 0, begin) + 1
            (folder / path).write_text(f"{text[:begin]}({text[begin:end]} OR TRUE){text[end:]}")
            started = time.monotonic()
            compiled, passes = run(folder, environment)
            (folder / path).write_text(text)
            verdict = "did not compile" if not compiled else "MISSED" if passes else "caught"
            print(f"{number}/{len(chosen)} {path}:{line} {text[begin:end]}: {verdict}, {time.monotonic() - started:.0f} s", flush=True)
            if not compiled:
                unbuilt.append(f"{path}:{line}")
            elif passes:
                missed.append(f"{path}:{line}")
    caught = len(chosen) - len(missed) - len(unbuilt)
    print(f"{caught} of {len(chosen)} caught, of {total} predicates in all; missed: {missed or 'none'}; not compiled: {unbuilt or 'none'}")
    sys.exit(1 if missed or unbuilt else 0)


if __name__ == "__main__":
    main()
