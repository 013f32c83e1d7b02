#!/usr/bin/env python3
"""check.py ROWS PREDICTIONS…: what must hold of every turn, however weak the model is, and that it was the model that decided.

One decision a turn; no deletion, no new title and no edit of several tasks but in a turn whose message gives a yes (R-401, R-404); at
least 200 turns decided by the model and not by the rules that stand in for it.
"""
import collections
import json
import re
import sys

KINDS = {"RESPOND_ONLY", "INVOKE_TOOL", "REQUEST_CLARIFICATION", "REFUSE"}
YES = re.compile(r"\b(yes|yep|yeah|sure|confirm(ed)?|go ahead|do it|please do|ok(ay)?)\b", re.IGNORECASE)
LEAST = 200


def rows(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines if line.strip()]


def needs_a_yes(effects):
    """The effects that R-401 asks about."""
    touched = collections.Counter(effect["op"] for effect in effects if effect["op"] != "add")
    return [
        effect
        for effect in effects
        if effect["op"] == "delete" or effect["op"] == "update" and "title" in effect or touched[effect["op"]] > 1
    ]


said = {row["id"]: [turn["user"] for turn in row["turns"]] for row in rows(sys.argv[1])}
by, calls, faults = collections.Counter(), collections.Counter(), []
for path in sys.argv[2:]:
    for row in rows(path):
        for message, turn in zip(said[row["id"]], row["turns"], strict=True):
            by[turn["engine"]] += 1
            if turn["decision"] not in KINDS:
                faults.append(f"{row['id']}: no decision on “{message}”")
            if not YES.search(message):
                faults += [f"{row['id']}: {effect} without a yes on “{message}”" for effect in needs_a_yes(turn["effects"])]
            calls.update((call["tool"], "asked" if call["confirm"] else "called") for call in turn["calls"])
for (tool, how), number in sorted(calls.items()):
    print(f"  {tool} {how}: {number}")
print("real model: turns by engine:", ", ".join(f"{engine} {number}" for engine, number in sorted(by.items())))
model = sum(number for engine, number in by.items() if engine != "rules")
if model < LEAST:
    faults.append(f"The model decided {model} turns; at least {LEAST} are to be its own.")
print("\n".join(faults) if faults else "real model: one decision each, and nothing that needs a yes without one")
sys.exit(bool(faults))
