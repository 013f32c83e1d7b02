#!/usr/bin/env python3
"""Verifies a bundle of Docket's record (docs/record-format.md) with nothing but Python's standard library, written from the format's
description and the standards that it names, not from Docket's own code.

    verify.py FILE [--key KEY] [--allow-unsigned]

Prints what `docket audit verify --bundle` prints. The exit status is 0 if all of it verifies, 1 if something is broken, and 3 if
nothing is broken but no signature could be checked, unless that is allowed.
"""

import argparse
import base64
import contextlib
import hashlib
import json
import struct
import sys
import uuid
from datetime import datetime

KINDS = {"message", "step", "invocation", "change", "approval_request", "approval_verdict", "approval_extension", "decision",
         "account", "token", "sign_in", "policy", "erasure", "reading", "standing",
         "amendment"}


class Refused(Exception):
    """It is no whole bundle, or not the one that was asked for."""


# ---- Ed25519 (RFC 8032, section 5.1), verification only ----

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    """Adds two points in extended homogeneous coordinates."""
    s, t = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    u, v = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def same(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def point_of(encoded):
    """Decodes a point, or None."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signed(key, text, signature):
    """Whether the signature over the text is the key's."""
    if len(signature) != 64 or len(key) != 32:
        return False
    point, r, s = point_of(key), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if point is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    return same(times(s, BASE), add(r, times(h, point)))


# ---- Signed notes (C2SP signed-note) ----

class Key:
    def __init__(self, text):
        try:
            self.name, key_id, key = text.split("+", 2)
            key = base64.b64decode(key, validate=True)
        except ValueError:
            raise Refused("its key is not an Ed25519 key") from None
        self.id = hashlib.sha256(self.name.encode() + b"\n" + key).digest()[:4]
        if key[:1] != b"\x01" or len(key) != 33 or self.id.hex() != key_id:
            raise Refused("its key is not an Ed25519 key")
        self.key = key[1:]

    def opens(self, note):
        """Whether the note bears this key's signature and it is right."""
        text, _, lines = note.rpartition("\n\n")
        own = []
        for line in lines.splitlines():
            name, _, signature = line.removeprefix("— ").rpartition(" ")
            try:
                signature = base64.b64decode(signature, validate=True)
            except ValueError:
                continue
            if line.startswith("— ") and name == self.name and signature[:4] == self.id:
                own.append(signed(self.key, (text + "\n").encode(), signature[4:]))
        return bool(own) and all(own)


def body_of(note):
    """What a checkpoint says: origin, size, root, number, time, records; None if it is not exactly that."""
    text, blank, _ = note.rpartition("\n\n")
    lines = text.split("\n")
    if not blank or not note.endswith("\n") or len(lines) != 6:
        return None
    named = dict(line.partition(" ")[::2] for line in lines[3:])
    try:
        body = (lines[0], int(lines[1]), base64.b64decode(lines[2], validate=True), int(named["number"]), named["time"],
                int(named["records"]))
    except (KeyError, ValueError):
        return None
    said = f"{body[0]}\n{body[1]}\n{base64.b64encode(body[2]).decode()}\nnumber {body[3]}\ntime {body[4]}\nrecords {body[5]}"
    return body if said == text and len(body[2]) == 32 else None


# ---- The Merkle tree (RFC 6962, section 2.1) ----

def leaf_of(user, seq, head):
    return hashlib.sha256(b"\x00docket/head/v1" + user.bytes + struct.pack(">q", seq) + head).digest()


def node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def split(size):
    """The largest power of two below the size."""
    return 1 << ((size - 1).bit_length() - 1)


def root_of(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    k = split(len(leaves))
    return node(root_of(leaves[:k]), root_of(leaves[k:]))


def root_by(leaf, index, size, path):
    """The root that an audit path leads to, or None."""
    if index >= size:
        return None
    if size == 1:
        return leaf if not path else None
    if not path:
        return None
    k = split(size)
    if index < k:
        below = root_by(leaf, index, k, path[:-1])
        return below and node(below, path[-1])
    below = root_by(leaf, index - k, size - k, path[:-1])
    return below and node(path[-1], below)


# ---- The chains ----

def part(text):
    return struct.pack(">Q", len(text.encode())) + text.encode()


def link_of(user, record):
    said = b"docket/record/v1" + user.bytes + struct.pack(">q", record["seq"]) + bytes.fromhex(record["previous"])
    return hashlib.sha256(said + part(record["kind"]) + part(record["at"]) + bytes.fromhex(record["digest"])).digest()


def stated_by(said):
    """The superseded verdicts that an erasure or an amendment states: none if one of them is malformed."""
    stated = said.get("superseded")
    fits = lambda it: isinstance(it, dict) and type(it.get("seq")) is type(it.get("by")) is int and isinstance(it.get("columns"), list)
    return stated if isinstance(stated, list) and all(map(fits, stated)) else []


KEPT = ("task_id", "status", "version", "created_at", "updated_at", "completed_at", "deleted_at")


def state_of(task, zone):
    """A task's fields, those that a purge keeps, its zone and its version. Times count as instants, since their offset depends on the time zone rules."""
    fields = {name: value for name, value in task.items() if value is not None}
    if "T" in fields.get("due", ""):
        with contextlib.suppress(ValueError, OverflowError):  # A year that Python does not have stays as it is written.
            fields["due"] = datetime.fromisoformat(fields["due"]).timestamp()
    version = fields.get("version")
    return fields, [fields.get(name) for name in KEPT], zone, version if isinstance(version, int) else 0


class Chain:
    """One chain up to the record that was taken last."""

    def __init__(self, user, name, signed_ends, note_broken):
        self.user, self.name, self.ends, self.broken = user, name, signed_ends, note_broken
        self.seq, self.hash, self.met, self.unmet = 0, bytes(32), 0, None
        self.erased, self.listed = {}, {}
        # What the marks of the erased texts say, by the erasure that vouches for it, and what that one says itself.
        self.marks, self.rows = {}, {}
        # What each verdict's record shows of its row (its columns, or their digest), and the superseded verdicts that erasures and
        # amendments state.
        self.verdicts, self.superseded, self.amended = {}, [], 0
        # By task number: its state and version after its last change, and the erased changes before that. Then all erased changes.
        self.left, self.forgotten = {}, 0

    def take(self, record):
        seq, kind, own = record["seq"], record["kind"], bytes.fromhex(record["hash"])
        if seq in self.ends:
            number, head = self.ends.pop(seq)
            if head == own:
                self.met = seq
            elif self.unmet is None:
                self.unmet = (seq, kind, number, self.met)
        self.follows = seq == self.seq + 1 and bytes.fromhex(record["previous"]) == self.hash and link_of(self.user, record) == own
        if seq != self.seq + 1:
            self.broken(self.user, self.seq + 1, "", "the record is missing.")
        elif bytes.fromhex(record["previous"]) != self.hash:
            self.broken(self.user, seq, kind, "it does not link to the record before it.")
        elif link_of(self.user, record) != own:
            self.broken(self.user, seq, kind, "its hash does not match its contents.")
        elif kind not in KINDS:
            self.broken(self.user, seq, kind, "its kind is unknown.")
        self.seq, self.hash = seq, own
        self.body(record)

    def body(self, record):
        seq, kind, by = record["seq"], record["kind"], record.get("erased_by")
        if "salt" not in record or "body" not in record:
            self.forgotten += kind == "change"
            if by is None:
                self.broken(self.user, seq, kind, "its text is missing, and no erasure is recorded.")
                return
            ranges = self.erased.setdefault(by, [])
            if ranges and ranges[-1][1] + 1 == seq:
                ranges[-1][1] = seq
            else:
                ranges.append([seq, seq])
            # 32 bytes, or 33 with the version of the columns that it covers: they are summed up as they are.
            said = record.get("said")
            marks = self.marks.setdefault(by, hashlib.sha256())
            marks.update(struct.pack(">q", seq) + (b"\0" if said is None else b"\1" + bytes.fromhex(said)))
            if kind == "approval_verdict" and said is not None:
                self.verdicts[seq] = said
            return
        if by is not None:
            self.broken(self.user, seq, kind, "its text exists although its erasure is recorded.")
        text = record["body"].encode()
        if hashlib.sha256(bytes.fromhex(record["salt"]) + text).digest() != bytes.fromhex(record["digest"]):
            self.broken(self.user, seq, kind, "its text was changed.")
            return
        try:
            said = json.loads(text)
        except ValueError:
            self.broken(self.user, seq, kind, "its text is not JSON.")
            return
        if kind == "change" and self.follows:
            self.change(seq, said)
        if kind == "standing" and self.follows:
            for task in said["tasks"]:
                zone = said.get("zones", {}).get(str(task["task_id"]))
                self.left[task["task_id"]] = (*state_of(task, zone), self.forgotten)
        if kind == "account" and said.get("event") == "created" and said.get("name") != self.name:
            self.broken(self.user, seq, kind, "the bundle gives its account another name.")
        if kind == "erasure":
            self.listed[seq] = [list(pair) for pair in said.get("records") or []]
            self.rows[seq] = said.get("rows")
        if kind == "approval_verdict":
            self.verdicts[seq] = [said.get(name) for name in ("approval_id", "status", "at", "decided_by", "decided_via")]
        if kind in ("erasure", "amendment"):
            stated = stated_by(said)
            self.superseded += [(seq, kind, verdict) for verdict in stated]
            self.amended += len(stated) if kind == "amendment" else 0

    def change(self, seq, said):
        """Compares a change of a task with the one before it."""
        before, after = said.get("before"), said["after"]
        number = after["task_id"]
        earlier = self.left.get(number)
        self.left[number] = (*state_of(after, said.get("zone_after")), self.forgotten)
        then = state_of(before, said.get("zone_before")) if before else None
        if earlier is None or not before:
            # All changes before it are erased, each at a version.
            follows = earlier is None and (not before or 1 <= then[3] <= self.forgotten)
        elif 1 <= then[3] - earlier[3] <= self.forgotten - earlier[4]:
            # Each erased change may have raised the version by one.
            follows = True
        else:
            in_zone = earlier[2] is None or then[2] is None or earlier[2] == then[2]
            follows = earlier[1] == then[1] and (said["operation"] == "purge" or earlier[0] == then[0] and in_zone)
        if not follows:
            self.broken(self.user, seq, "change", f"task #{number} was edited without a record before this change.")

    def is_superseded(self, verdict):
        """Whether the verdict's record shows the columns that are stated of it, and a later one could supersede it."""
        seq, by, columns = verdict["seq"], verdict["by"], verdict["columns"]
        known = self.verdicts.get(seq)
        if known is None or not columns or seq >= by or by not in self.verdicts:
            return False
        if isinstance(known, list):
            return known[:len(columns)] == columns or columns[:len(known)] == known
        # A mark of a later version of the columns begins with a byte that names it. Columns that one version lacks are null.
        known = bytes.fromhex(known)[-32:]
        bare = columns[:next((end for end in range(len(columns), 0, -1) if columns[end - 1] is not None), 0)]
        padded = [bare + [None] * more for more in range(16)]
        texts = (json.dumps(values, separators=(",", ":"), ensure_ascii=False) for values in padded)
        return any(known == hashlib.sha256(text.encode()).digest() for text in texts)

    def end(self, head):
        if head["seq"] > self.seq:
            self.broken(self.user, self.seq + 1, "", "the record is missing.")
        elif head["seq"] < self.seq:
            self.broken(self.user, head["seq"] + 1, "", "the record is after the end of the chain.")
        elif bytes.fromhex(head["hash"]) != self.hash:
            self.broken(self.user, max(self.seq, 1), "", "the end of the chain does not match this record.")
        for seq, kind, verdict in self.superseded:
            if not self.is_superseded(verdict):
                problem = f"its statement about record {verdict['seq']} does not match that record."
                self.broken(self.user, seq, kind, problem)
        for by, ranges in self.erased.items():
            if self.listed.get(by) != ranges:
                problem = f"its text is missing, and record {by} did not erase it."
                self.broken(self.user, ranges[0][0], "", problem)
            if self.rows.get(by) != self.marks[by].hexdigest():
                problem = f"a digest of the texts that record {by} erased was changed."
                self.broken(self.user, ranges[0][0], "", problem)
        for by, ranges in self.listed.items():
            if ranges and by not in self.erased:
                self.broken(self.user, by, "erasure", "the texts that it erased still exist.")
        self.gone = sum(last - first + 1 for ranges in self.erased.values() for first, last in ranges)
        if self.unmet:
            seq, kind, number, met = self.unmet
            since = f"after record {met}" if met else "from the beginning"
            problem = f"it is not the record that checkpoint {number} signed: the chain was rewritten {since}."
            self.broken(self.user, seq, kind, problem)
        if self.ends:
            cut(self.user, self.ends, self.seq, self.broken)


def cut(user, ends, last, broken):
    """A chain that lacks an end which was signed."""
    seq = min(ends)
    problem = f"the record is missing: checkpoint {ends[seq][0]} signed the chain up to record {seq}."
    broken(user, (last if last < seq else seq - 1) + 1, "", problem)


# ---- The bundle ----

class Bundle:
    def __init__(self, lines, wanted):
        first = next(lines, {})
        if first.get("line") != "bundle" or first.get("version") != 1:
            raise Refused("its first line is not a bundle header of a known version")
        if wanted and first["key"] != wanted:
            raise Refused("it is signed with a different key")
        self.key = Key(first["key"]) if first["key"] else None
        self.whose = uuid.UUID(first["user"]) if first["user"] else None
        self.first, self.checkpoint, self.names = {}, None, {}
        self.heads, self.last, self.newest, self.signed = {}, None, None, {}
        self.ahead, self.foreign = False, None
        self.records = self.chains = self.begun = self.checkpoints = self.gone = self.amended = 0
        self.whole(lines)

    def broken(self, user, seq, kind, problem):
        """Of a chain's several the first one counts."""
        if user not in self.first or seq < self.first[user][0]:
            self.first[user] = (seq, kind, problem)

    def spoilt(self, number, problem):
        if self.checkpoint is None or number < self.checkpoint[0]:
            self.checkpoint = (number, problem)

    def whole(self, lines):
        chain = None
        for line in lines:
            kind = line["line"]
            if kind in ("checkpoint", "proof") and not self.chains and (kind == "proof") == (self.whose is not None):
                self.checkpoints += 1
                self.told(line) if kind == "checkpoint" else self.proven(line)
            elif kind == "chain" and chain is None:
                user = uuid.UUID(line["user"])
                if user in self.names or self.whose not in (None, user):
                    raise Refused("its lines are in the wrong order")
                self.names[user] = line["name"]
                self.chains += 1
                chain = Chain(user, line["name"], self.signed.pop(user, {}), self.broken)
            elif kind == "record" and chain is not None:
                self.records += 1
                self.begun += chain.seq == 0
                chain.take(line)
            elif kind == "head" and chain is not None:
                chain.end(line)
                self.ahead |= chain.seq > self.heads.get(chain.user, (0,))[0]
                self.gone += chain.gone
                self.amended += chain.amended
                chain = None
            elif kind == "end" and chain is None:
                if (line["records"], line["chains"], line["checkpoints"]) != (self.records, self.chains, self.checkpoints):
                    raise Refused("its number of lines does not match its last line")
                if next(lines, None) is not None:
                    raise Refused("there is content after its last line")
                for user, ends in self.signed.items():
                    cut(user, ends, 0, self.broken)
                if self.foreign:
                    self.spoilt(self.foreign, "it is signed with a different key than the checkpoints before it.")
                return
            else:
                raise Refused("its lines are in the wrong order")
        raise Refused("its last line is missing")

    def noted(self, number, note):
        """What the note says, if it is signed as it has to be."""
        body = body_of(note)
        if body is None or body[3] != number:
            return self.spoilt(number, "its note is not a valid checkpoint.")
        own = self.key is not None and self.key.name == body[0]
        if own and not self.key.opens(note):
            return self.spoilt(number, "its signature does not match its contents.")
        if not own and self.key is not None and self.newest and self.newest[-1]:
            # A newer checkpoint of the key covers all that another key signed.
            self.foreign = self.foreign or number
            return None
        self.foreign = None
        self.newest = (number, body[4], body[5], own)
        return body

    def sign(self, number, end):
        user, seq, head = uuid.UUID(end["user"]), end["seq"], bytes.fromhex(end["hash"])
        if self.signed.setdefault(user, {}).setdefault(seq, (number, head))[1] != head:
            self.spoilt(number, "it signed another record than a checkpoint before it.")
        return user, seq, head

    def told(self, line):
        number = line["number"]
        if self.last is not None and number != self.last + 1:
            self.spoilt(self.last + 1, "the checkpoint is missing.")
        self.last = number
        for end in line["heads"]:
            user, seq, head = self.sign(number, end)
            self.heads[user] = (seq, head)
        body = self.noted(number, line["note"])
        if body:
            leaves = [leaf_of(user, *self.heads[user]) for user in sorted(self.heads, key=lambda user: user.bytes)]
            records = sum(seq for seq, _ in self.heads.values())
            if (body[1], body[2], body[5]) != (len(leaves), root_of(leaves), records):
                self.spoilt(number, "its stored chain ends do not match the ones that it signed.")

    def proven(self, line):
        number, end = line["number"], line["end"]
        if uuid.UUID(end["user"]) != self.whose:
            raise Refused("its lines are in the wrong order")
        body = self.noted(number, line["note"])
        if body:
            path = [bytes.fromhex(step) for step in line["path"]]
            leaf = leaf_of(self.whose, end["seq"], bytes.fromhex(end["hash"]))
            if root_by(leaf, line["index"], body[1], path) != body[2]:
                self.spoilt(number, "its listed chain end does not match the one that it signed.")
            user, seq, head = self.sign(number, end)
            if self.newest[-1]:
                self.heads[user] = (seq, head)

    def report(self, allow_unsigned):
        """Prints what is broken, or that nothing is; the exit status."""
        for user in sorted(self.first, key=lambda user: user.bytes):
            seq, kind, problem = self.first[user]
            print(f"{self.names.get(user, user)}, record {seq}{f' ({kind})' if kind else ''}: {problem}")
        if self.checkpoint:
            print(f"checkpoint {self.checkpoint[0]}: {self.checkpoint[1]}")
        if self.first or self.checkpoint:
            return 1
        counted = [f"{self.gone} texts erased"] * bool(self.gone) + [f"{self.amended} records amended"] * bool(self.amended)
        counted = f" ({', '.join(counted)})" if counted else ""
        print(f"verified {self.records} records, {self.begun} users{counted}")
        if self.newest and self.newest[-1]:
            number, at, records, _ = self.newest
            key = base64.b64encode(b"\x01" + self.key.key).decode()
            if not self.ahead:
                print(f"checkpoint {number} of {at} covers {records} records, signed with {self.key.name}+{self.key.id.hex()}+{key}")
                return 0
            unsigned = "Signatures were not checked in full: records are newer than the newest checkpoint."
            print(unsigned, file=sys.stdout if allow_unsigned else sys.stderr)
            return 0 if allow_unsigned else 3
        why = "the newest checkpoint is signed with a different key"
        if not self.key:
            why = "the checkpoint key is missing"
        elif not self.newest:
            why = "there is no checkpoint yet"
        print(f"Signatures were not checked: {why}.", file=sys.stdout if allow_unsigned else sys.stderr)
        return 0 if allow_unsigned else 3


def lines_of(file):
    for line in file:
        yield json.loads(line)


def main():
    parser = argparse.ArgumentParser(description="Verify a bundle of Docket's record.")
    parser.add_argument("file")
    parser.add_argument("--key", help="the public key that it must be signed with")
    parser.add_argument("--allow-unsigned", action="store_true", help="accept a bundle whose signatures cannot be checked")
    arguments = parser.parse_args()
    try:
        with open(arguments.file, encoding="utf-8", newline="\n") as file:
            bundle = Bundle(lines_of(file), arguments.key)
    except (Refused, OSError) as error:
        sys.exit(f"verify.py: {error}")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"verify.py: a line is not one of a bundle ({error})")
    sys.exit(bundle.report(arguments.allow_unsigned))


if __name__ == "__main__":
    main()
