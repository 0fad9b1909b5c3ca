"""What the triads of SourceNLI hold, in numbers, and how much a claim gives away."""

from __future__ import annotations

import functools
import itertools
from collections import Counter, defaultdict

import numpy as np
import scipy.optimize
import scipy.sparse
from written import runs

from claimwise.labels import LABELS
from source_nli import Claim, Triad, frame, words
from source_nli import content as content_of

content = functools.cache(content_of)  # every passage meets nine claims


def logistic_regression(features: scipy.sparse.csr_matrix, labels: np.ndarray, penalty: float) -> np.ndarray:
    """Return the weights (features x labels) of a multinomial logistic regression."""
    targets = np.eye(len(LABELS))[labels]
    shape = (features.shape[1], len(LABELS))

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(shape)
        scores = features @ weights
        log_shares = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        value = -(targets * log_shares).sum() / len(labels) + penalty * (weights**2).sum()
        slope = features.T @ (np.exp(log_shares) - targets) / len(labels) + 2 * penalty * weights
        return value, slope.ravel()

    start = np.zeros(shape).ravel()
    return scipy.optimize.minimize(loss, start, jac=True, method="L-BFGS-B").x.reshape(shape)


def baseline(triads: list[Triad], with_premise: bool) -> float:
    """Return the accuracy, by five-fold cross-validation over triads, of a linear reader of the claim alone.

    Its features are words and pairs of words; ``with_premise`` adds how many of the claim's words and
    numbers stand in the passage, and nothing else of it.
    """
    rows, labels, folds = [], [], []
    for number, triad in enumerate(triads):
        for claim in triad.claims:
            said = ["", *words(claim.text)]
            grams = Counter([*said, *(" ".join(pair) for pair in itertools.pairwise(said))])
            stems = content(claim.text, triad.names)
            for sentences, label in zip(triad.passages, claim.labels, strict=True):
                row = dict(grams)
                if with_premise:
                    found = content(" ".join(sentences), triad.names)
                    others = set(said[1:]) - set(words(" ".join(sentences)))
                    row |= {"/shared": len(stems & found) / max(len(stems), 1), "/others": len(others) / 5}
                rows.append(row)
                labels.append(LABELS.index(label))
                folds.append(number % 5)
    ids = {name: index for index, name in enumerate(dict.fromkeys(name for row in rows for name in row))}
    places = [(place, ids[name], value) for place, row in enumerate(rows) for name, value in row.items()]
    place, column, value = map(np.array, zip(*places, strict=True))
    features = scipy.sparse.csr_matrix((value.astype(float), (place, column)), (len(rows), len(ids)))
    gold, fold, right = np.array(labels), np.array(folds), 0
    for held_out in sorted(set(folds)):
        weights = logistic_regression(features[fold != held_out], gold[fold != held_out], 1e-4)
        right += int(((features[fold == held_out] @ weights).argmax(1) == gold[fold == held_out]).sum())
    return right / len(rows)


def table(title: str, counts: dict[str, Counter[str]]) -> None:
    """Print shares per row of ``counts``."""
    print(f"\n{title}")
    for name, counter in counts.items():
        total = sum(counter.values())
        shares = ", ".join(f"{key} {100 * count / total:.1f} %" for key, count in counter.most_common())
        print(f"  {name} ({total}): {shares}")


def report(triads: list[Triad]) -> None:
    """Print what the triads hold."""
    lengths = [len(sentences) for triad in triads for sentences in triad.passages]
    claims = [(triad, claim) for triad in triads for claim in triad.claims]
    print(f"{len(triads)} triads, {len(lengths)} passages, {3 * len(claims)} pairs")
    splits = Counter(triad.split for triad in triads)
    print("triads by split: " + ", ".join(f"{split} {count}" for split, count in splits.most_common()))
    print(f"sentences per passage: {min(lengths)} to {max(lengths)}, mean {np.mean(lengths):.1f}")
    print("  " + ", ".join(f"{length}: {count}" for length, count in sorted(Counter(lengths).items())))
    if all(claim.how for _, claim in claims):
        report_reasons(claims)
    frames = Counter(frame(claim.text, triad.names) for triad, claim in claims)
    print("most used frames (claims): " + "; ".join(f"{form} {n}" for form, n in frames.most_common(3)))
    names = Counter(name for triad in triads for name in triad.names)
    print("names in most triads: " + ", ".join(f"{name} {count}" for name, count in names.most_common(25)))
    if len(triads) >= 5:
        print(f"accuracy of the claim alone: {baseline(triads, with_premise=False):.3f}")
        print(f"accuracy of the claim and how many of its words are shared: {baseline(triads, True):.3f}")


def report_reasons(claims: list[tuple[Triad, Claim]]) -> None:
    """Print what makes claims supported or not, and how many of their words the passages share."""
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    by_label: dict[str, Counter[str]] = defaultdict(Counter)
    shared: dict[str, list[float]] = defaultdict(list)
    close = []
    for triad, claim in claims:
        stems = content(claim.text, triad.names)
        for sentences, label, how, evidence in zip(
            triad.passages, claim.labels, claim.how, claim.evidence, strict=True
        ):
            by_kind[triad.kind][label] += 1
            by_label[label][how] += 1
            found = content(" ".join(sentences), triad.names)
            shared[label].append(len(stems & found) / max(len(stems), 1))
            deciding = " ".join(sentences[index] for index in evidence)
            if how == "paraphrase" and runs(words(claim.text), 5) & runs(words(deciding), 5):
                close.append(f"line {triad.line}: {claim.text}")
    table("labels by kind (pairs)", by_kind)
    table("how", by_label)
    means = ", ".join(f"{label} {np.mean(values):.2f}" for label, values in shared.items())
    print(f"\nmean share of the claim's content words that stand in the passage: {means}")
    print(f"paraphrases with five words in a row of the deciding sentence: {len(close)}", *close, sep="\n  ")
