#!/usr/bin/env python3
"""Takes the owner out of one query at a time and sees whether a test notices.

    end2end/pg.sh end2end/isolation/run.py [--count 30] [--seed 1] [--all | --only imports.rs:14 …] [--list]

Each `user_id = $n` or `user_id IN ($n, …)` in src/store becomes `(… OR TRUE)`: the query still takes its values and finds other people's
rows. The narrow test, which calls every function of the store with a stranger's id, has to fail then; one that passes is named at the
end, and the exit status is 1. A mutant that does not compile, or a test that hangs, is named as well. Nothing is kept of the mutants:
they are made from the sources as they are. Works on a copy of them in a temporary folder, so that nothing is lost when it is broken
off, or when somebody goes on working meanwhile; run it overnight: a mutant costs a build of the library's tests.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWNER = re.compile(r"(?:\b\w+\.)?\buser_id (?:= \$\d+|IN \(\$\d+(?:, \$\d+)*\))")
TEST = ["cargo", "test", "--quiet", "--lib", "store::tests::owners"]
# Seconds that the test may take: a mutant can wait for itself.
PATIENCE = 600


class Place:
    """A predicate that names an owner, in the text that was read for it."""

    def __init__(self, path, text, begin, end):
        self.path, self.text, self.begin, self.end = path, text, begin, end
        self.name = f"{path.name}:{text.count(chr(10), 0, begin) + 1}"
        self.predicate = text[begin:end]

    def mutant(self):
        return f"{self.text[:self.begin]}({self.predicate} OR TRUE){self.text[self.end:]}"


def places(folder):
    """Every predicate that names an owner. Comments and the tests are not searched, nor what an UPDATE sets."""
    for path in sorted((folder / "src/store").glob("*.rs")):
        text = path.read_text()
        for found in OWNER.finditer(text):
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            clause = re.findall(r"\b(?:SET|WHERE|ON|AND|JOIN)\b", text[: found.start()])
            if "//" not in line and clause and clause[-1] != "SET":
                yield Place(path, text, found.start(), found.end())


def run(folder, environment):
    """What became of the sources: `unbuilt`, `caught`, `missed` or `hung`; and what was said last."""
    built = subprocess.run([*TEST, "--no-run"], cwd=folder, env=environment, capture_output=True, text=True)
    if built.returncode:
        return "unbuilt", built.stderr
    try:
        tested = subprocess.run(TEST, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return "hung", f"the test took more than {PATIENCE} s"
    # A test that is called otherwise by now would pass without having run.
    if tested.returncode == 0 and not re.search(r"test result: ok\. [1-9]", tested.stdout):
        return "unbuilt", "no such test ran"
    return "missed" if tested.returncode == 0 else "caught", tested.stdout + tested.stderr


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=30)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--all", action="store_true")
    options.add_argument("--only", nargs="+", metavar="FILE:LINE")
    options.add_argument("--list", action="store_true", help="name the predicates and end")
    options = options.parse_args()
    # Ended like an interruption, so that the folder goes as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="docket-isolation.") as folder:
        folder = Path(folder)
        skipped = shutil.ignore_patterns("target", "node_modules", ".git")
        shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=skipped)
        sys.exit(mutate(folder, options))


def choose(folder, options):
    """The predicates to be tried, and how many there are."""
    found = list(places(folder))
    if options.only:
        named = [place for place in found if place.name in options.only]
        absent = set(options.only) - {place.name for place in named}
        if absent:
            sys.exit(f"There is no owner's predicate at {', '.join(sorted(absent))}; --list names them all.")
        return named, len(found)
    if options.all or options.list:
        return found, len(found)
    return random.Random(options.seed).sample(found, min(options.count, len(found))), len(found)


def mutate(folder, options):
    """Tries one predicate after another; the exit status."""
    chosen, total = choose(folder, options)
    if options.list:
        print("\n".join(f"{place.name} {place.predicate}" for place in chosen))
        return 0
    if not chosen:
        sys.exit("No query in src/store names an owner: this script looks for them in vain.")
    if not os.environ.get("DOCKET_TEST_POSTGRES_URL"):
        print("Only SQLite is tried; end2end/pg.sh gives PostgreSQL as well.", file=sys.stderr)
    environment = {**os.environ, "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(folder / "target"))}
    verdict, said = run(folder, environment)
    if verdict != "missed":
        sys.exit(f"The test does not pass as the sources are; nothing can be learned:\n{said[-2000:]}")
    results = {}
    try:
        for number, place in enumerate(chosen, 1):
            place.path.write_text(place.mutant())
            started = time.monotonic()
            verdict, said = run(folder, environment)
            place.path.write_text(place.text)
            results.setdefault(verdict, []).append(place.name)
            took = f"{time.monotonic() - started:.0f} s"
            print(f"{number}/{len(chosen)} {place.name} {place.predicate}: {verdict}, {took}", flush=True)
            if verdict in ("unbuilt", "hung"):
                print(said[-1000:], file=sys.stderr)
    except KeyboardInterrupt:
        print("Broken off.", file=sys.stderr)
    tried = sum(map(len, results.values()))
    bad = "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in results.items() if verdict != "caught")
    print(f"{len(results.get('caught', []))} of {tried} caught, of {total} predicates in all; {bad or 'none missed'}")
    return 0 if tried == len(chosen) and not bad else 1


if __name__ == "__main__":
    main()
