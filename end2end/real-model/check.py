#!/usr/bin/env python3
"""check.py ROWS EXPECTED PREDICTIONS…: what must hold of every turn, however weak the model is, and that it was the model that decided.

One decision a turn; no deletion, no new title and no edit of several tasks but in a turn whose message gives a yes (R-401, R-404); no
edit of a single task (its day, its priority, opened again) but one that its row asks for; at least 200 turns decided by the model and
not by the rules that stand in for it. EXPECTED is what the rules make of the same rows: what they would do is what was asked for.
"""
import collections
import json
import re
import sys

KINDS = {"RESPOND_ONLY", "INVOKE_TOOL", "REQUEST_CLARIFICATION", "REFUSE"}
YES = re.compile(r"\b(y|yes|yep|yeah|sure|confirm(ed)?|go ahead|go for it|do it|please do|ok(ay)?)\b", re.IGNORECASE)
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


def edits(turn):
    """The edits of a single task that ran unasked and changed something, each as its arguments."""
    changed = [effect["task_id"] for effect in turn["effects"] if effect["op"] in ("update", "reopen")]
    ran = [call["args"] for call in turn["calls"] if call["tool"] == "update_task" and not call["confirm"]]
    return [args for args in ran if args.get("task_id") in changed]


def asked_for(turns):
    """The arguments of every edit that the rules would make in a row, with a yes or without."""
    return [call["args"] for turn in turns for call in turn["calls"] if call["tool"] == "update_task"]


said = {row["id"]: [turn["user"] for turn in row["turns"]] for row in rows(sys.argv[1])}
by, calls, faults = collections.Counter(), collections.Counter(), []
expected = {row["id"]: asked_for(row["turns"]) for row in rows(sys.argv[2])}
for path in sys.argv[3:]:
    for row in rows(path):
        for message, turn in zip(said[row["id"]], row["turns"], strict=True):
            by[turn["engine"]] += 1
            if turn["decision"] not in KINDS:
                faults.append(f"{row['id']}: no decision on “{message}”")
            wrong = [args for args in edits(turn) if args not in expected[row["id"]]]
            faults += [f"{row['id']}: {args} was not asked for on “{message}”" for args in wrong]
            if not YES.search(message):
                faults += [f"{row['id']}: {effect} without a yes on “{message}”" for effect in needs_a_yes(turn["effects"])]
            calls.update((call["tool"], "asked" if call["confirm"] else "called") for call in turn["calls"])
for (tool, how), number in sorted(calls.items()):
    print(f"  {tool} {how}: {number}")
print("real model: turns by engine:", ", ".join(f"{engine} {number}" for engine, number in sorted(by.items())))
model = sum(number for engine, number in by.items() if engine != "rules")
if model < LEAST:
    faults.append(f"The model decided {model} turns; at least {LEAST} are to be its own.")
print("\n".join(faults) if faults else "real model: one decision each, nothing that needs a yes without one, no edit unasked")
sys.exit(bool(faults))
