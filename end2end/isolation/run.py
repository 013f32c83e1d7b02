#!/usr/bin/env python3
"""Takes the owner out of one query at a time and sees whether a test notices.

    end2end/pg.sh end2end/isolation/run.py [--count 30] [--seed 1] [--all | --only imports.rs:14 …] [--list] [--program FILE [--unbuilt]]

Each `user_id = $n` or `user_id IN ($n, …)` in src/store becomes what is always true: the query still takes its values and finds other
people's rows. So does each `user_id = ` at a string's end, whose value is bound to a query that is put together; what is true of any
value is told in SQLite's words there, and PostgreSQL, which is given the same text, is left out. The narrow test, which calls every function of the store with a stranger's id, has to fail then; one that passes is
named at the end, and the exit status is 1. A mutant whose SQL does not run, or a test that hangs, is named as well. Where a query names
its owner several times, in each table of a join for instance, one of them can be missed because another does the work: then all of them
are taken out at once, and if that is seen the predicate is doubled, which is no fault.

The library's tests are built once. A mutant is a copy of that program with another text of the same length in place of the predicate,
for SQL is text there as well: seconds instead of a build. Where the text around a predicate stands in the program in more places
than the one that is meant, the mutant is made in a copy of the sources and built; what SQLite does not notice of such a one may be in a
query for PostgreSQL alone, so it is built again to find everyone's rows but the owner's. Nothing is kept of either.
--program takes tests that were built before, from the sources as they are; --unbuilt leaves out what would have to be built.
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
OWNER = re.compile(r"(?:\b\w+\.)?\buser_id (?:= \$\d+|IN \(\$\d+(?:, \$\d+)*\)|= (?=\"))")
# What is true of the value that is bound next, whatever it is: no column is empty text, and no id either.
OF_ANY = "'' IS NOT"
POSTGRES = "DOCKET_TEST_POSTGRES_URL"
# Comments, raw strings, strings and characters, of which the strings are wanted.
TOKEN = re.compile(r'//[^\n]*|r(#*)"(?P<raw>.*?)"\1|"(?P<text>(?:[^"\\]|\\.)*)"|\'(?:[^\'\\]|\\.)\'', re.S)
TEST = "store::tests::owners"
BUILD = ["cargo", "test", "--package", "docket-kernel", "--lib", "--no-run"]
# Seconds that the test may take: a mutant can wait for itself.
PATIENCE = 300
# Whose work another predicate does, which is found in more places than theirs, by file and text.
BESIDE_ANOTHER = {
    ("listing.rs", "search_blocks.user_id = "): "the tasks of those blocks are looked for by their owner",
    ("listing.rs", "tasks.user_id = "): "what is listed of these tasks is the owner's",
    ("audit.rs", "o.user_id = "): "the turns of that list are looked for among the owner's decisions",
}
# What a predicate may come to.
GOOD = ("caught", "doubled")
# SQL that does not run catches itself, and nothing was learned.
BROKEN = re.compile(r"syntax error|could not determine data type|operator does not exist|no such column|could not prepare")


class Place:
    """A predicate that names an owner, in the text that was read for it."""

    def __init__(self, path, text, begin, end):
        self.path, self.text, self.begin, self.end = path, text, begin, end
        self.name = f"{path.name}:{text.count(chr(10), 0, begin) + 1}"
        self.predicate = text[begin:end]
        # Its value comes after the string.
        self.bound_next = self.predicate.endswith("= ")
        self.literal, self.at = self.surroundings()

    def always(self):
        """What is always true, takes the same values, and is as long as the predicate."""
        if self.bound_next:
            return OF_ANY.ljust(len(self.predicate))
        values = re.findall(r"\$\d+", self.predicate)
        first, rest = values[0], values[1:]
        more = f" OR {rest[0]}={rest[-1]}" if rest else ""
        made = f"({first}={first}{more})"
        if len(rest) > 2 or len(made) > len(self.predicate):
            sys.exit(f"{self.name}: no predicate as long as {self.predicate} is known")
        return made.ljust(len(self.predicate))

    def mutated(self, instead):
        """The text of the file with something in place of the predicate."""
        return self.text[: self.begin] + instead + self.text[self.end :]

    def of_others(self):
        """What finds everyone's rows but the owner's, in words of both databases: longer than the predicate."""
        return self.predicate.removesuffix("= ") + "<> "

    def surroundings(self):
        """The string that the predicate stands in, as the program has it, and where in it."""
        for token in TOKEN.finditer(self.text):
            if token.start() <= self.begin < token.end():
                kind = "raw" if token["raw"] is not None else "text"
                inner, at = token[kind], self.begin - token.start(kind)
                return unescaped(inner, at) if kind == "text" else (inner, at)
        sys.exit(f"{self.name} is in no string")

    def part(self):
        """What of that string stands between two values that are put into it, and where in it."""
        before = max(self.literal.rfind(brace, 0, self.at) for brace in "{}") + 1
        after = [self.literal.find(brace, self.at) for brace in "{}"]
        return self.literal[before : min((end for end in after if end >= 0), default=None)], self.at - before


def unescaped(text, at):
    """A string's text, and where in it the character of the source at `at` is."""
    made, place, found = "", 0, 0
    while place < len(text):
        if place <= at:
            found = len(made)
        if text[place] != "\\":
            made, place = made + text[place], place + 1
        elif text[place + 1] == "\n":
            place = re.compile(r"\s*").match(text, place + 1).end()
        else:
            made, place = made + {"n": "\n", "t": "\t"}.get(text[place + 1], text[place + 1]), place + 2
    return made, found


def places(folder):
    """Every predicate that names an owner. Comments and the tests are not searched, nor what an UPDATE sets."""
    store = folder / "src/store"
    for path in sorted(store.rglob("*.rs")):
        if "tests" in path.relative_to(store).parts or path.stem == "testing":
            continue
        text = path.read_text()
        for found in OWNER.finditer(text):
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            clause = re.findall(r"\b(?:SET|WHERE|ON|AND|JOIN)\b", text[: found.start()])
            if "//" not in line and clause and clause[-1] != "SET":
                yield Place(path, text, *found.span())


def offsets(program, text):
    """Where the text stands in the program."""
    found, text = [], text.encode()
    at = program.find(text)
    while at >= 0:
        found.append(at)
        at = program.find(text, at + 1)
    return found


def spots(program, place, everyone):
    """Where the predicate stands in the program; none where that cannot be told from others.

    A string can stand twice where a macro has it once for each database, and as a piece of a longer one, which is not meant."""
    # Two functions of one text may be one in the program.
    if any(other.literal == place.literal and other.at == place.at and other is not place for other in everyone):
        return []
    for text, at in [(place.literal, place.at), place.part()]:
        found = offsets(program, text)
        longer = {other.literal for other in everyone if text in other.literal and text != other.literal}
        inside = [
            (start, start + len(other.encode())) for other in longer for start in offsets(program, other)
        ]
        found = [start for start in found if not any(begin <= start < end for begin, end in inside)]
        if 1 <= len(found) <= 2:
            return [start + len(text[:at].encode()) for start in found]
    return []


def test(program, folder, environment):
    """What became of a program: `caught`, `missed`, `broken` or `hung`; and what was said last."""
    try:
        tested = subprocess.run([program, TEST], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return "hung", f"the test took more than {PATIENCE} s"
    said = tested.stdout + tested.stderr
    # A test that is called otherwise by now would pass without having run.
    if tested.returncode == 0 and not re.search(r"test result: ok\. [1-9]", tested.stdout):
        return "broken", "no such test ran"
    if tested.returncode and BROKEN.search(said):
        return "broken", said
    return "missed" if tested.returncode == 0 else "caught", said


def build(folder, environment):
    """The program of the library's tests."""
    built = subprocess.run(BUILD, cwd=folder, env=environment, capture_output=True, text=True)
    named = re.search(r"Executable .*\((.*)\)", built.stderr)
    if built.returncode or not named:
        sys.exit(f"The tests do not build:\n{built.stderr[-2000:]}")
    return folder / named[1]


class Mutants:
    """Programs with one predicate less."""

    def __init__(self, folder, program, everyone, environment, unbuilt):
        self.folder, self.everyone, self.environment, self.unbuilt = folder, everyone, environment, unbuilt
        self.program = folder / "docket-tests"
        shutil.copy(program, self.program)
        self.bytes = self.program.read_bytes()

    def without(self, place):
        """What becomes of the program without that predicate, and what was said last."""
        found = spots(self.bytes, place, self.everyone)
        if not found:
            return ("unbuilt", "") if self.unbuilt else self.rebuilt(place)
        verdict, said = self.tried([(found, place)])
        if place.bound_next:
            return beside_another(place, verdict, said)
        beside = [other for other in self.everyone if other.literal == place.literal and other.at != place.at]
        if verdict == "missed" and beside:
            others = [(spots(self.bytes, other, self.everyone), other) for other in beside]
            # Only together: if the others are caught without it, that says nothing of this one.
            together = self.tried([(found, place), *others])[0] == "caught" and self.tried(others)[0] != "caught"
            verdict = "doubled" if together else "missed"
        return verdict, said

    def tried(self, mutations):
        """What becomes of the program with these predicates gone."""
        for found, place in mutations:
            self.write(found, place.always())
        try:
            return test(self.program, self.folder, self.databases(*(place for _, place in mutations)))
        finally:
            for found, place in mutations:
                self.write(found, place.predicate)

    def databases(self, *gone):
        """Where the test runs without those predicates: on PostgreSQL as well, if it takes their mutants."""
        left_out = {POSTGRES} if any(place.bound_next for place in gone) else set()
        return {name: value for name, value in self.environment.items() if name not in left_out}

    def write(self, found, text):
        with self.program.open("r+b") as program:
            for start in found:
                program.seek(start)
                program.write(text.encode())

    def rebuilt(self, place):
        print(f"{place.name} stands in the program where others do; it is built", file=sys.stderr, flush=True)
        verdict, said = self.built_with(place, place.always(), self.databases(place))
        if verdict == "missed" and place.bound_next and POSTGRES in self.environment:
            # The query may be PostgreSQL's alone.
            verdict, said = self.built_with(place, place.of_others(), self.environment)
        return beside_another(place, verdict, said)

    def built_with(self, place, instead, environment):
        """What becomes of the sources with something in place of the predicate."""
        place.path.write_text(place.mutated(instead))
        try:
            return test(build(self.folder, self.environment), self.folder, environment)
        finally:
            place.path.write_text(place.text)


def beside_another(place, verdict, said):
    """`doubled` where what is missed is known to be another predicate's work."""
    because = BESIDE_ANOTHER.get((place.path.name, place.predicate))
    return ("doubled", because) if verdict == "missed" and because else (verdict, said)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=30)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--all", action="store_true")
    options.add_argument("--only", nargs="+", metavar="FILE:LINE")
    options.add_argument("--list", action="store_true", help="name the predicates and end")
    options.add_argument("--program", type=Path, help="the built tests of the library")
    options.add_argument("--unbuilt", action="store_true", help="leave out what would have to be built")
    options = options.parse_args()
    # Ended like an interruption, so that the folder goes as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="docket-isolation.") as folder:
        folder = Path(folder)
        skipped = shutil.ignore_patterns("target", "node_modules", ".git")
        shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=skipped)
        sys.exit(mutate(folder, options))


def choose(found, options):
    """The predicates to be tried."""
    if options.only:
        named = [place for place in found if place.name in options.only]
        absent = set(options.only) - {place.name for place in named}
        if absent:
            sys.exit(f"There is no owner's predicate at {', '.join(sorted(absent))}; --list names them all.")
        return named
    if options.all or options.list:
        return found
    return random.Random(options.seed).sample(found, min(options.count, len(found)))


def mutate(folder, options):
    """Tries one predicate after another; the exit status."""
    found = list(places(folder))
    chosen = choose(found, options)
    if options.list:
        print("\n".join(f"{place.name} {place.predicate}" for place in chosen))
        return 0
    if not chosen:
        sys.exit("No query in src/store names an owner: this script looks for them in vain.")
    if not os.environ.get(POSTGRES):
        print("Only SQLite is tried; end2end/pg.sh gives PostgreSQL as well.", file=sys.stderr)
    environment = {**os.environ, "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(folder / "target"))}
    mutants = Mutants(folder, options.program or build(folder, environment), found, environment, options.unbuilt)
    verdict, said = test(mutants.program, folder, environment)
    if verdict != "missed":
        sys.exit(f"The test does not pass as the sources are; nothing can be learned:\n{said[-2000:]}")
    results = {}
    try:
        for number, place in enumerate(chosen, 1):
            started = time.monotonic()
            verdict, said = mutants.without(place)
            results.setdefault(verdict, []).append(place.name)
            took = f"{time.monotonic() - started:.0f} s"
            print(f"{number}/{len(chosen)} {place.name} {place.predicate}: {verdict}, {took}", flush=True)
            if verdict in ("broken", "hung"):
                print(said[-1000:], file=sys.stderr)
    except KeyboardInterrupt:
        print("Broken off.", file=sys.stderr)
    tried = sum(map(len, results.values()))
    bad = "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in results.items() if verdict not in GOOD)
    good = ", ".join(f"{len(results.get(verdict, []))} {verdict}" for verdict in GOOD)
    print(f"{good} of {tried} tried and {len(found)} in all; {bad or 'none missed'}")
    return 0 if tried == len(chosen) and not bad else 1


if __name__ == "__main__":
    main()
