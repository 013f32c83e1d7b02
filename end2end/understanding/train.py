#!/usr/bin/env python3
"""train.py TOKENS EVAL: makes src/llm/rules/read/classifier/{intents,slots}.tsv.gz from sentences.tsv.gz here and the rows of EVAL, and
records the hashes of what went in and came out in trained.txt here.

TOKENS is a program that reads a JSON string a line and writes the tokens of each as [[name, first byte, byte after the last], …]:
target/…/examples/tokens. EVAL is a folder with train/public.jsonl and dev/single_turn.jsonl, which is not part of the repository; the
rows that set_aside.py sets aside are left out. Needs scikit-learn (pip install scikit-learn). With --check it trains on all writers
but one, in turn, and on four fifths of EVAL's development rows, and says how the models do on the rest instead.

A line of sentences.tsv.gz: the writer, the intent, and the sentence, in which [[…]] is what it is about and {{…}} the new value or the
date. All sentences were written for Docket and are under its licence.
"""
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import numpy
from scipy.sparse import csr_matrix
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from set_aside import is_aside

HERE = pathlib.Path(__file__).parent
OUT = HERE.parent.parent / "src" / "llm" / "rules" / "read" / "classifier"
INTENTS = "add list get complete reopen delete due priority title note refuse talk ask".split()
KEPT_INTENTS, KEPT_SLOTS = 15000, 16000  # features, the weightiest
SCALE = 100  # weights are whole numbers
# Weights of rows by source and intent: the public corpora hold far more small talk and requests to refuse than a list gets.
WEIGHTS = {("public", "refuse"): 0.25, ("public", "talk"): 0.3, "dev": 2.0}
INSIDE = 0.4  # what a token inside a stretch counts for
PUBLIC = {"add_task": "add", "list_tasks": "list", "get_task": "get", "complete_task": "complete", "delete_task": "delete",
          "RESPOND_ONLY": "talk", "REFUSE": "refuse", "REQUEST_CLARIFICATION": "ask"}


def intent_features(names):
    run = ["^", *names, "$"]
    found = {" ".join(run[at : at + n]) for n in (1, 2, 3) for at in range(len(run) - n + 1)}
    found |= {f"{run[at]} _ {run[at + 2]}" for at in range(len(run) - 2)}
    words = [name for name in names if name[0].isalnum()]
    if words:
        found |= {f"F {words[0]}", f"L {words[-1]}", f"FL {words[0]} {words[-1]}"}
    if len(words) > 1:
        found.add(f"F {words[0]} {words[1]}")
    found.add(f"len {min(len(words), 14) // 2}")
    for at in range(min(4, len(words))):
        found |= {f"P {words[at]} {late}" for late in words[max(at + 2, len(words) - 3) :]}
    return found


def place_features(names, at, kind):
    n = lambda offset: "^" if at + offset < 0 else names[at + offset] if at + offset < len(names) else "$"
    after = min(len(names) - 1 - at, 6)
    if kind == "s":
        return [f"1 {n(-1)}", f"2 {n(-2)} {n(-1)}", f"3 {n(-3)} {n(-2)} {n(-1)}", f"f {n(0)}", f"fg {n(0)} {n(1)}",
                f"b {n(-1)} {n(0)}", f"bb {n(-2)} {n(-1)} {n(0)}", f"p {min(at, 6)}"]
    if kind == "e":
        return [f"1 {n(1)}", f"2 {n(1)} {n(2)}", f"3 {n(1)} {n(2)} {n(3)}", f"f {n(0)}", f"fg {n(-1)} {n(0)}",
                f"b {n(0)} {n(1)}", f"bb {n(0)} {n(1)} {n(2)}", f"p {after}"]
    return [f"w {n(0)}", f"p {n(-1)}", f"n {n(1)}", f"pw {n(-1)} {n(0)}", f"wn {n(0)} {n(1)}", f"pwn {n(-1)} {n(0)} {n(1)}",
            f"pp {n(-2)} {n(-1)}", f"nn {n(1)} {n(2)}", f"ppw {n(-2)} {n(-1)} {n(0)}", f"wnn {n(0)} {n(1)} {n(2)}",
            f"b {min(at, 6)}", f"e {after}"]


def with_slot(features, slot):
    return dict.fromkeys(["", slot + " ", *features, *(f"{slot} {feature}" for feature in features)], 1)


def read(tokenizer):
    """Writer, intent, token names, and the stretches of tokens by slot (None: it names none)."""
    rows = []
    for line in gzip.decompress((HERE / "sentences.tsv.gz").read_bytes()).decode().splitlines():
        writer, intent, marked = line.split("\t")
        text, spans = "", {}
        for piece in re.split(r"(\[\[|\]\]|\{\{|\}\})", marked.replace("\\n", "\n")):
            if piece in ("[[", "{{"):
                spans[piece] = [len(text.encode()), None]
            elif piece in ("]]", "}}"):
                spans["[[" if piece == "]]" else "{{"][1] = len(text.encode())
            else:
                text += piece
        rows.append((writer, intent, text, spans))
    made = []
    for (writer, intent, _, spans), tokens in zip(rows, tokenized(tokenizer, [row[2] for row in rows])):
        slots = {}
        for sign, slot in (("[[", intent), ("{{", intent + ">")):
            if sign in spans:
                start, end = spans[sign]
                held = [at for at, (_, first, last) in enumerate(tokens) if first < end and last > start]
                slots[slot] = (held[0], held[-1]) if held else None
            elif sign == "[[" and intent not in ("refuse", "talk", "ask"):
                slots[slot] = None
        if intent not in ("title", "note"):
            slots.pop(intent + ">", None)
        made.append((writer, intent, [name for name, _, _ in tokens], slots))
    return made


def tokenized(tokenizer, texts):
    lines = "".join(json.dumps(text) + "\n" for text in texts).encode()
    told = subprocess.run(tokenizer.split(), input=lines, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in told.stdout.splitlines()]


def intent_of(expect):
    """The intent of a development row; None if it has several or one that the models do not know."""
    if expect["decision"] != "INVOKE_TOOL":
        return PUBLIC[expect["decision"]]
    tools = {call["tool"] for call in expect.get("calls") or [expect]}
    if len(tools) > 1:
        return None
    if tools != {"update_task"}:
        return PUBLIC.get(tools.pop())
    fields = expect.get("args", {})
    names = {"due": "due", "priority": "priority", "title": "title", "description": "note", "status": "reopen"}
    return next((intent for field, intent in names.items() if field in fields), None)


def read_eval(tokenizer, folder):
    """Rows of the public corpora and the development rows, in the form of read(), without stretches."""
    folder = pathlib.Path(folder)
    rows = [("public", PUBLIC[row["intent"]], row["text"]) for row in map(json.loads, open(folder / "train" / "public.jsonl"))]
    for row in map(json.loads, open(folder / "dev" / "single_turn.jsonl")):
        intent = intent_of(row["expect"])
        if intent and not row.get("history") and not is_aside(row["id"]):
            rows.append(("dev", intent, row["utterance"]))
    tokens = tokenized(tokenizer, [text for _, _, text in rows])
    return [(writer, intent, [name for name, _, _ in found], {}) for (writer, intent, _), found in zip(rows, tokens)]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def record(folder):
    folder = pathlib.Path(folder)
    inputs = {"sentences.tsv.gz": HERE / "sentences.tsv.gz", "train/public.jsonl": folder / "train" / "public.jsonl",
              "dev/single_turn.jsonl": folder / "dev" / "single_turn.jsonl"}
    outputs = {name: OUT / name for name in ("intents.tsv.gz", "slots.tsv.gz")}
    lines = ["# SHA-256 of what train.py read and made.\n"]
    lines += [f"{kind}\t{name}\t{digest(path)}\n" for kind, files in (("in", inputs), ("out", outputs)) for name, path in files.items()]
    (HERE / "trained.txt").write_text("".join(lines))


def fit_intents(rows):
    vectorizer = DictVectorizer()
    x = vectorizer.fit_transform([dict.fromkeys(sorted(intent_features(names)), 1) for _, _, names, _ in rows])
    y = numpy.array([INTENTS.index(intent) for _, intent, _, _ in rows])
    weights = numpy.array([WEIGHTS.get((writer, intent), WEIGHTS.get(writer, 1.0)) for writer, intent, _, _ in rows])
    often = numpy.asarray(x.sum(axis=0))[0]
    kept = numpy.flatnonzero(often >= 2)
    model = LogisticRegression(C=1, max_iter=200, tol=1e-3).fit(x[:, kept], y, sample_weight=weights)
    weight = numpy.abs(model.coef_).max(axis=0) * numpy.sqrt(often[kept])
    kept = numpy.sort(kept[numpy.argsort(-weight)[:KEPT_INTENTS]])
    model = LogisticRegression(C=1, max_iter=200, tol=1e-3).fit(x[:, kept], y, sample_weight=weights)
    return vectorizer.get_feature_names_out()[kept], model.coef_, model.intercept_


def fit_slots(rows):
    weights = {}
    for kind in "sei":
        found, y = [], []
        for _, _, names, slots in rows:
            for slot, held in slots.items():
                for at in range(len(names)):
                    found.append(with_slot(place_features(names, at, kind), slot))
                    first, last = held or (-1, -1)
                    y.append({"s": at == first, "e": at == last, "i": first <= at <= last}[kind])
        vectorizer = DictVectorizer()
        x = vectorizer.fit_transform(found)
        often = numpy.asarray(x.sum(axis=0))[0]
        kept = numpy.flatnonzero(often >= 2)
        model = LogisticRegression(C=1, max_iter=200, tol=1e-3, fit_intercept=False).fit(x[:, kept], y)
        for name, weight, count in zip(vectorizer.get_feature_names_out()[kept], model.coef_[0], often[kept]):
            weights[kind + name] = (weight, abs(weight) * count**0.5)
    best = sorted(weights, key=lambda name: -weights[name][1])[:KEPT_SLOTS]
    return {name: weights[name][0] for name in best}


def stretch(weights, names, slot):
    score = lambda kind, at: sum(weights.get(kind + feature, 0) for feature in with_slot(place_features(names, at, kind), slot))
    s, e, i = ([score(kind, at) for at in range(len(names))] for kind in "sei")
    spans = ((s[a] + e[b] + INSIDE * sum(i[a : b + 1]), (a, b)) for a in range(len(names)) for b in range(a, len(names)))
    best, held = max(spans)
    return held if best > -4 else None


def check_dev(rows, others):
    """Trains without each fifth of the development rows and reports the accuracy of the intents on it."""
    dev = [row for row in others if row[0] == "dev"]
    public = [row for row in others if row[0] != "dev"]
    right = sure = sure_right = 0
    for fold in range(5):
        train = rows + public + [row for at, row in enumerate(dev) if at % 5 != fold]
        names, coefficients, bias = fit_intents(train)
        place = {name: at for at, name in enumerate(names)}
        for _, intent, tokens, _ in dev[fold::5]:
            scores = bias + sum(coefficients[:, place[f]] for f in intent_features(tokens) if f in place)
            odds = numpy.exp(scores - scores.max())
            hit = INTENTS[int(scores.argmax())] == intent
            right += hit
            sure += odds.max() / odds.sum() > 0.8
            sure_right += hit and odds.max() / odds.sum() > 0.8
        print(f"fold {fold}: {right} right of {sum(len(dev[at::5]) for at in range(fold + 1))}; sure {sure_right}/{sure}", flush=True)


def check(rows):
    for one in sorted({row[0] for row in rows}):
        train, test = [row for row in rows if row[0] != one], [row for row in rows if row[0] == one]
        names, coefficients, bias = fit_intents(train)
        place = {name: at for at, name in enumerate(names)}
        sure = right = sure_right = named = named_right = 0
        weights = fit_slots(train)
        for _, intent, tokens, slots in test:
            scores = bias + sum(coefficients[:, place[f]] for f in intent_features(tokens) if f in place)
            odds = numpy.exp(scores - scores.max())
            hit = INTENTS[int(scores.argmax())] == intent
            right += hit
            if odds.max() / odds.sum() > 0.8:
                sure += 1
                sure_right += hit
            for slot, held in slots.items():
                named += 1
                named_right += stretch(weights, tokens, slot) == held
        print(f"{one}: intents {right / len(test):.3f}; of the {sure / len(test):.2f} that it is sure of {sure_right / sure:.3f}; "
              f"stretches {named_right / named:.3f}", flush=True)


def write(name, lines):
    table = "".join(sorted((line + "\n" for line in lines), key=lambda line: line.split("\t")[0].encode()))
    (OUT / name).write_bytes(gzip.compress(table.encode(), 9, mtime=0))


def main(tokenizer, folder):
    rows = read(tokenizer)
    others = read_eval(tokenizer, folder)
    if "--check" in sys.argv:
        check_dev(rows, others)
        check(rows)
        return
    names, coefficients, bias = fit_intents(rows + others)
    whole = lambda column: ",".join(str(n) if (n := round(weight * SCALE)) else "" for weight in column)
    table = [f"\t{whole(bias)}"] + [f"{name}\t{whole(coefficients[:, at])}" for at, name in enumerate(names)]
    write("intents.tsv.gz", [line for line in table if line.split("\t")[1].strip(",")])
    write("slots.tsv.gz", [f"{name}\t{n}" for name, weight in fit_slots(rows).items() if (n := round(weight * SCALE))])
    record(folder)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
