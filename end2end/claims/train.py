#!/usr/bin/env python3
"""train.py: makes src/agent/claims/claims.tsv.gz from replies.tsv.gz here, and says how it does on the replies it has not seen.

Needs scikit-learn (pip install scikit-learn). The features are those of src/agent/claims/features.rs, whose tests
look at some of them and at what comes of all. A line holds lying or honest, the set, and a reply with \\n where it has several lines. The hard
set was written for what the plain one lacked: claims in passing among honest sentences, states that came of a change, status and history that
are no claims. The unseen and the blind set were written by others, who knew neither the rows that are trained on nor the detector. Nothing is
trained on either. All replies were written for Docket and are under its licence. What stands below in capitals was chosen by the unseen ones, but for how many weights are KEPT and for the DOUBT, of which
some of the blind ones had a say.
"""
import gzip
import pathlib

import numpy
from scipy.sparse import hstack, vstack
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

HERE = pathlib.Path(__file__).parent
OUT = HERE.parent.parent / "src" / "agent" / "claims"
KEPT = 56000  # weights, the heaviest
HONEST = 3.5  # lying replies that one honest one weighs as much as: a false alarm is the worse error
HARD = 2  # others that one of the hard files weighs as much as
PENALTY = 0.2  # the inverse of how much large weights cost
SCALE = 1000  # weights are whole numbers
DOUBT = 300  # thousandths that a claim needs beyond even odds: both bars of R-706 are then about as far off

QUOTES = {'"': '"', "“": "”", "«": "»", "`": "`", "‘": "’", "'": "'"}
SKIPPED = set("*_~>()[]{}\"'-/\\=+&%$€£@<`\u200d\ufe0f’“”«»‘")
ENDS = set(".!?;\n")
CLASSES = {word: line[0] for line in (OUT / "classes.txt").read_text().splitlines() for word in line.split()[1:]}


def unquoted(text):
    out, at = [], 0
    while at < len(text):
        sign = text[at]
        inside = sign == "'" and at and text[at - 1].isalnum()
        if sign in QUOTES and not inside:
            stop = text.find("\n", at + 1)
            stop = len(text) if stop < 0 else stop
            end = text.find(QUOTES[sign], at + 1, stop)
            while sign == "'" and 0 <= end and end + 1 < len(text) and text[end + 1].isalnum():
                end = text.find("'", end + 1, stop)
            if end >= 0:
                out.append("☐")
                at = end + 1
                continue
        out.append(sign)
        at += 1
    return "".join(out)


def tokens(text):
    text = unquoted(text).replace("’", "'").lower()
    found, at = [], 0
    peek = lambda place: text[place] if place < len(text) else " "
    while at < len(text):
        sign = text[at]
        if sign.isalpha():
            end = at + 1
            while peek(end).isalpha() or peek(end) == "'" and peek(end + 1).isalpha():
                end += 1
            found.append(text[at:end])
            at = end
        elif sign in "0123456789" or sign == "#" and peek(at + 1) in "0123456789":
            found.append("#0" if sign == "#" else "0")
            at += 1
            while peek(at) in "0123456789" or peek(at) in ".:,/" and peek(at + 1) in "0123456789":
                at += 1
        else:
            if sign in "—–":
                found.append(",")
            elif sign == "\n" or not sign.isspace() and sign not in SKIPPED:
                found.append(sign)
            at += 1
    return found


def sentences(text):
    found, now = [], ["^"]
    for token in tokens(text):
        if token not in ENDS:
            now.append(token)
        elif len(now) > 1:
            found.append(now + [token])
            now = ["^"]
    return found + ([now + ["$"]] if len(now) > 1 else [])


def kind(token):
    if token in CLASSES:
        return CLASSES[token]
    if token[0].isalpha():
        long = len(token) > 4
        return "d" if long and token.endswith("ed") else "g" if long and token.endswith("ing") else None
    return token


def features(words):
    """Those of one sentence."""
    found = set()
    kinds = [kind(word) for word in words]
    runs = [
        ("", words, (1, 2, 3)),
        ("C ", [kind or "x" for kind in kinds], (2, 3, 4)),
        ("X ", [kind or word for kind, word in zip(kinds, words)], (2, 3)),
        ("K ", [kind for kind in kinds if kind], (2, 3, 4)),
    ]
    for name, run, lengths in runs:
        for length in lengths:
            found.update(name + " ".join(run[at : at + length]) for at in range(len(run) - length + 1))
    found.update(f"{words[at]} _ {words[at + 2]}" for at in range(len(words) - 2))
    found.add(f"E {words[-1]}")
    found.add(f"E {words[1]} {words[-1]}")
    return found


def rows(kind, name):
    table = gzip.decompress((HERE / "replies.tsv.gz").read_bytes()).decode()
    start = f"{kind}\t{name}\t"
    return [line.removeprefix(start).replace("\\n", "\n") for line in table.splitlines() if line.startswith(start)]


class Replies:
    """Texts as features: of the whole of each, and of each of its sentences."""

    def __init__(self, texts, vectorizer, fit=False):
        told = [[features(words) for words in sentences(text)] or [set()] for text in texts]
        flat = [dict.fromkeys(sorted(sentence), 1) for sentences in told for sentence in sentences]
        if fit:
            vectorizer.fit(flat)
        self.sentences = vectorizer.transform(flat)
        self.starts = numpy.cumsum([0] + [len(sentences) for sentences in told])
        self.whole = vectorizer.transform([dict.fromkeys(sorted(set().union(*sentences)), 1) for sentences in told])

    def strongest(self, weights):
        """The place of each reply's sentence of the greatest weight."""
        weight = self.sentences @ weights
        return numpy.array([a + weight[a:b].argmax() for a, b in zip(self.starts[:-1], self.starts[1:])])


def fitted(x, y, penalty=0.3, rows=None):
    """Weights and bias. Each feature counts by how much oftener it stands in one kind than in the other (Wang and Manning 2012,
    NB-SVM); `rows` is what each row weighs."""
    share = [1 + numpy.asarray(x[y == kind].sum(axis=0))[0] for kind in (1, 0)]
    ratio = numpy.log((share[0] / share[0].sum()) / (share[1] / share[1].sum()))
    model = LogisticRegression(C=penalty, max_iter=800).fit(x.multiply(ratio).tocsr(), y, sample_weight=rows)
    return model.coef_[0] * ratio, model.intercept_[0]


lying, honest = [rows(kind, "plain") + rows(kind, "hard") for kind in ("lying", "honest")]
vectorizer = DictVectorizer()
seen = Replies(lying + honest, vectorizer, fit=True)
y = numpy.array([1] * len(lying) + [0] * len(honest))
hard = set(rows("lying", "hard") + rows("honest", "hard"))
weigh = numpy.array([HARD if text in hard else 1 for text in lying + honest]) * numpy.where(y == 0, HONEST, 1)

# Which sentence of a lie claims is not written anywhere: the strongest is taken for it, and no sentence of an honest reply claims.
weights, _ = fitted(seen.whole, y)
honest_ones = numpy.arange(seen.starts[len(lying)], seen.starts[-1])
for _ in range(4):
    claims = seen.strongest(weights)[: len(lying)]
    kinds = numpy.r_[numpy.ones(len(claims)), numpy.zeros(len(honest_ones))]
    weights, _ = fitted(vstack([seen.sentences[claims], seen.sentences[honest_ones]]).tocsr(), kinds)

# The whole reply and its strongest sentence bear witness together.
joined = lambda replies, weights: hstack([replies.whole, replies.sentences[replies.strongest(weights)]]).tocsr()
x = joined(seen, weights)
both, _ = fitted(x, y, PENALTY, weigh)
often = numpy.sqrt(numpy.asarray(x.sum(axis=0))[0])
kept = numpy.sort(numpy.argsort(-numpy.abs(both) * often)[:KEPT])
some, bias = fitted(x[:, kept], y, PENALTY, weigh)
weights = numpy.zeros(x.shape[1])
weights[kept] = numpy.round(some * SCALE)
of_whole, of_sentence = numpy.split(weights, 2)

for kind, name in [("lying", "unseen"), ("honest", "unseen"), ("lying", "blind"), ("honest", "blind")]:
    unseen = Replies(rows(kind, name), vectorizer)
    scores = joined(unseen, of_sentence) @ weights + round(bias * SCALE) - DOUBT
    print(f"{kind}, {name}: {(scores > 0).sum()} of {len(scores)} taken for a claim")
number = lambda weight: f"{weight:.0f}" if weight else ""
names = vectorizer.get_feature_names_out()
lines = [
    f"{name.replace(chr(10), '⏎')}\t{number(whole)},{number(sentence)}"
    for name, whole, sentence in zip(names, of_whole, of_sentence)
    if whole or sentence
]
bias = f"\t{round(bias * SCALE) - DOUBT},"
table = "\n".join([bias] + sorted(lines, key=lambda line: line.split("\t")[0].encode())) + "\n"
(OUT / "claims.tsv.gz").write_bytes(gzip.compress(table.encode(), 9, mtime=0))
