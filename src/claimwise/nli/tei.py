"""A judge on a server: text-embeddings-inference, and Hugging Face Inference Endpoints, which run it.

The server names its model at ``/info``; ``/predict`` takes pairs and returns every label with its score,
sorted by score; ``/tokenize`` is used for pairs that are too long. Written for versions 1.5 to 1.9:
https://huggingface.github.io/text-embeddings-inference/
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.labels import LABELS, resolve_label_order
from claimwise.llm.costs import Cost
from claimwise.llm.server import Connection, Remote, Reply
from claimwise.nli.cache import pairs_not_kept
from claimwise.nli.crossing import gather
from claimwise.nli.pairs import Ints, Pairs
from claimwise.nli.protocol import Bools, Example, Judgements, Pair, concatenate
from claimwise.progress import bar
from claimwise.signature import parts_fingerprint

SPECIAL_TOKENS = range(2, 9)
"""Numbers of special tokens that a tokenizer may add to a pair."""

CHARACTERS_PER_TOKEN = 100
"""Maximum characters sent to the tokenizer per token that the model takes; servers refuse 250."""

USUAL_BATCH = 32
"""Pairs that a server accepts per request by default."""


@dataclass(frozen=True)
class Served:
    """A server's information on its model.

    Args:
        model: its name, a Hub id or a path on the server.
        revision: the commit; None if the server does not know it.
        dtype: its precision.
        version: version of the server.
        max_length: maximum length of a pair in tokens.
        max_batch: maximum pairs per request.
        labels: the server's names of entailment, neutral and contradiction.
    """

    model: str
    revision: str | None
    dtype: str
    version: str
    max_length: int
    max_batch: int
    labels: tuple[str, str, str]


@dataclass(kw_only=True, eq=False, repr=False)
class TEIJudge(Remote):
    """Scores pairs with a classifier behind text-embeddings-inference.

    The server never truncates: a pair that is too long loses the end of its premise here, as with the local
    judge, and is counted.

    Args:
        url: address of the server, such as `http://localhost:8080`.
        label_order: names of the outputs, for a model that does not name its labels.

    Raises:
        ClaimwiseError: for an invalid option; and, on first use, if the server is unreachable, refuses the
            key, or its model is not a classifier with the three labels.
    """

    url: str = field(kw_only=False)
    label_order: Sequence[str] | None = None

    tolerance: ClassVar[float] = 0.005  # a server that computes in float16 rounds each of the three

    def __post_init__(self) -> None:
        self.set_up(self.url)
        self._special = SPECIAL_TOKENS[0]  # grows when the server says that a pair is still too long

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"tei:{self.endpoint.url}"

    @cached_property
    def served(self) -> Served:
        """The server's information on its model, requested on first use."""
        with self.connected() as connection:
            return self._ask_info(connection)

    def costs(self, examples: Sequence[Example], score_cache: Any) -> list[Cost]:
        """Return the cost of judging examples; no text is sent.

        Args:
            examples: (premises, hypotheses) each.
            score_cache: a cache file whose pairs cost nothing; using it needs a request to /info, which names
                the model.
        """
        missing = pairs_not_kept(self, Pairs.crossed(examples).distinct()[0], score_cache)
        return [Cost(self.name, requests=-(-len(missing) // USUAL_BATCH))]

    @property
    def fingerprint(self) -> str:
        """Distinguishes this model's scores from those of any other model.

        The server's address replaces the model's commit if the server does not know it.
        """
        return self._fingerprint(self.served)

    @property
    def signature(self) -> dict[str, str]:
        """The model's entries in a metric's signature."""
        served = self.served
        where = {} if served.revision else {"nli_server": self.endpoint.name}
        return {
            "nli_model": f"tei:{served.model}",
            **where,
            "nli_fingerprint": self.fingerprint.removeprefix("tei-"),
            "nli_revision": served.revision or "unknown",
            "labels": ",".join(served.labels),
            "max_length": str(served.max_length),
            "truncation": "premise",
            "dtype": served.dtype,
            "text-embeddings-inference": served.version,
        }

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Score (premise, hypothesis) pairs, each distinct pair once, and mark truncated pairs."""
        return gather(self, pairs)

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the judgements of each request as answers arrive.

        An answer counts only if the server still runs the same model afterwards.

        Raises:
            ClaimwiseError: if the server fails permanently, or its model has changed.
            KeyboardInterrupt: on Ctrl-C, after pending requests have ended.
        """
        size = self.served.max_batch
        parts = (np.arange(start, min(start + size, len(pairs))) for start in range(0, len(pairs), size))
        progress = bar("NLI", len(pairs), "pair", shown=self.show_progress)
        with self.connected() as connection, progress:

            def ask(rows: Ints) -> Judgements:
                of_rows = list(pairs.at(rows))
                return self._ask_cut(connection, of_rows, np.zeros(len(rows), dtype=np.bool_))

            # /info is requested once for several answers, while the threads are busy.
            for answered in connection.each(ask, parts, at_least=self.concurrency // 2):
                if self._still_counts(connection):
                    for rows, judgements in answered:
                        yield rows, judgements
                        progress.update(len(rows))

    def shorten(self, texts: Sequence[str], tokens: int) -> list[str]:
        """Return the texts, each truncated to its first ``tokens`` tokens of the server's model."""
        with self.connected() as connection:
            ends = self._token_ends(connection, texts, tokens)
        return [_until(text, of_text, tokens) for text, of_text in zip(texts, ends, strict=True)]

    def _ask_info(self, connection: Connection, retries: int | None = None) -> Served:
        """Return the server's information on its model.

        Raises:
            ClaimwiseError: unless it is a classifier with the three labels.
        """
        remedy = "Use the address of text-embeddings-inference, such as 'tei:http://localhost:8080'."
        reply = connection.get("/info", retries=retries)
        info = reply.content
        if reply.status != 200 or not isinstance(info, dict) or not isinstance(info.get("model_id"), str):
            raise self.error(f"does not name its model at /info ({reply.status}){reply.said}", remedy)
        match info.get("model_type"):
            case {"classifier": {"id2label": dict(id2label)}}:
                pass
            case dict(kind) if kind:
                raise self.error(
                    f"runs {info['model_id']!r}, which is not a classifier ({', '.join(map(str, kind))}).",
                    "Start it with a model for natural language inference (--model-id).",
                )
            case _:
                raise self.error(f"does not report the type of the model {info['model_id']!r}.", remedy)
        try:
            names = {int(number): str(name) for number, name in id2label.items()}
            length, batch = int(info["max_input_length"]), int(info.get("max_client_batch_size") or 32)
        except (KeyError, TypeError, ValueError):
            length = batch = 0
        if min(length, batch) < 1:
            raise self.error("does not report max_input_length and id2label.", remedy)
        try:
            order = resolve_label_order(names, self.label_order)
        except ClaimwiseError as error:
            problem = f"{error.problem.rstrip('.')} (the server {self.endpoint.name})."
            raise error.at(problem=problem) from None
        entailment, neutral, contradiction = (names[number] for number in order)
        return Served(
            model=info["model_id"],
            revision=str(info["model_sha"]) if info.get("model_sha") else None,
            dtype=str(info.get("model_dtype", "unknown")),
            version=str(info.get("version", "unknown")),
            max_length=length,
            max_batch=batch,
            labels=(entailment, neutral, contradiction),
        )

    def _fingerprint(self, served: Served) -> str:
        model = (served.model, served.revision or self.endpoint.url)
        return f"tei-{parts_fingerprint([*model, served.dtype, served.max_length, served.labels])}"

    def _still_counts(self, connection: Connection) -> bool:
        """Return whether the server still runs the first model; False if it no longer answers.

        Raises:
            ClaimwiseError: if it runs another model; judgements that may come from it are discarded.
        """
        if connection.stop.is_set():  # a request has failed permanently; is the server still up?
            try:
                served = self._ask_info(replace(connection, stop=threading.Event()), retries=0)
            except ClaimwiseError:
                return False
        else:
            served = self._ask_info(connection)
        if self._fingerprint(served) != self.fingerprint:
            raise self.error(
                f"now runs {served.model!r} (it ran {self.served.model!r} when the run began, or the same "
                "in another revision or precision).",
                "Start the run again; judgements of the first model are in the score cache, if there is one.",
            )
        return True

    def _ask_cut(self, connection: Connection, pairs: list[Pair], truncated: Bools) -> Judgements:
        reply = self._predict(connection, pairs)
        if reply.status == 200:
            return Judgements(self._read(reply.content, len(pairs)), truncated)
        if reply.status not in (413, 422):
            raise self._rejected(reply)
        # A pair that is too long, too many pairs, or too many bytes: the status does not say which.
        if len(pairs) > 1:
            cut, was_cut = self._cut(connection, pairs, self._special)
            if was_cut.any():
                return self._ask_cut(connection, cut, truncated | was_cut)
            half = len(pairs) // 2
            halves = slice(None, half), slice(half, None)
            return concatenate([self._ask_cut(connection, pairs[part], truncated[part]) for part in halves])
        last = None
        for special in range(self._special, SPECIAL_TOKENS[-1] + 1):
            cut, was_cut = self._cut(connection, pairs, special)
            if was_cut.any() and cut != last:
                reply, last = self._predict(connection, cut), cut
                if reply.status == 200:
                    self._special = max(special, self._special)
                    return Judgements(self._read(reply.content, 1), truncated | was_cut)
        raise self._rejected(reply)

    def _predict(self, connection: Connection, pairs: list[Pair]) -> Reply:
        # Pairs are always in a list: two texts at the top level would be one pair.
        body = {"inputs": [list(pair) for pair in pairs], "raw_scores": False, "truncate": False}
        return connection.post("/predict", body)

    def _read(self, content: object, count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return scores by label, whatever their order in the answer.

        Raises:
            ClaimwiseError: for an answer with another format or other labels.
        """
        if count == 1 and isinstance(content, list) and content and isinstance(content[0], dict):
            content = [content]  # a single pair
        places = {label: place for place, label in enumerate(self.served.labels)}
        scores = np.full((count, len(LABELS)), np.nan, dtype=np.float32)
        try:
            if not isinstance(content, list) or len(content) != count:
                raise ValueError
            for row, of_pair in enumerate(content):
                for one in of_pair:
                    scores[row, places[one["label"]]] = one["score"]
        except KeyError as error:
            raise self.error(
                f"returned the label {error.args[0]!r}, but named {', '.join(places)} at /info.",
                "Start the run again: the model may have changed.",
            ) from None
        except (TypeError, ValueError, IndexError):
            scores[:] = np.nan
        if not np.isfinite(scores).all():
            raise self.error(
                f"did not answer with a score for each label of {count} pairs.",
                "Check that it is text-embeddings-inference.",
            )
        return scores

    def _cut(self, connection: Connection, pairs: list[Pair], special: int) -> tuple[list[Pair], Bools]:
        """Return the pairs, truncated to the model's length minus the given number of special tokens."""
        room = self.served.max_length - special
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        ends = dict(zip(texts, self._token_ends(connection, texts, room), strict=True))
        cut, was_cut = [], np.zeros(len(pairs), dtype=np.bool_)
        for row, (premise, hypothesis) in enumerate(pairs):
            of_premise, of_hypothesis = ends[premise], ends[hypothesis]
            if len(of_premise) + len(of_hypothesis) > room:
                was_cut[row] = True
                kept = min(len(of_hypothesis), max(room // 2, room - len(of_premise)))
                hypothesis = _until(hypothesis, of_hypothesis, kept)
                premise = _until(premise, of_premise, room - kept)
            cut.append((premise, hypothesis))
        return cut, was_cut

    def _token_ends(self, connection: Connection, texts: Sequence[str], tokens: int) -> list[list[int]]:
        """Return the end of each token of each text, in characters."""
        longest = CHARACTERS_PER_TOKEN * (tokens + 1)
        ends: list[list[int]] = []
        for start in range(0, len(texts), self.served.max_batch):
            part = [text[:longest] for text in texts[start : start + self.served.max_batch]]
            reply = connection.post("/tokenize", {"inputs": part, "add_special_tokens": False})
            content = reply.content
            if reply.status != 200 or not isinstance(content, list) or len(content) != len(part):
                raise self.error(
                    f"cannot tokenize, but a pair is too long ({reply.status}){reply.said}",
                    "Check that it is text-embeddings-inference, or shorten the texts.",
                )
            try:
                ends += [_ends(text, of_text) for text, of_text in zip(part, content, strict=True)]
            except (KeyError, TypeError, ValueError):
                raise self.error(
                    "does not return token offsets.", "Check that it is text-embeddings-inference."
                ) from None
        return ends

    def _rejected(self, reply: Reply) -> ClaimwiseError:
        return self.error(
            f"rejected a request ({reply.status}){reply.said}", "Check the texts and the server's limits."
        )


def _until(text: str, ends: list[int], tokens: int) -> str:
    return text if len(ends) <= tokens else text[: ends[tokens - 1]] if tokens else ""


def _ends(text: str, tokens: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the ends of tokens in characters; some versions count bytes, as a token's own text shows."""
    spans = [(int(one["start"]), int(one["stop"]), one["text"]) for one in tokens if not one.get("special")]
    if text.isascii() or all(text[start:stop] == said for start, stop, said in spans):
        return [stop for _, stop, _ in spans]
    encoded = text.encode()
    return [len(encoded[:stop].decode(errors="ignore")) for _, stop, _ in spans]
