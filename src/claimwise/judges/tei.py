"""A judge on a server: text-embeddings-inference, and Hugging Face Inference Endpoints, which run it.

The server names its model at ``/info``; ``/predict`` takes pairs and returns every label with its score,
sorted by score; ``/tokenize`` is used to shorten premises. Written for versions 1.5 to 1.9:
https://huggingface.github.io/text-embeddings-inference/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from claimwise.errors import ClaimwiseError, at_place
from claimwise.http.remote import Connection, Remote
from claimwise.judges.cache import pairs_not_kept
from claimwise.judges.crossing import gather
from claimwise.judges.pairs import Bools, Floats, Ints, Pairs
from claimwise.judges.protocol import Example, Judgements, Pair
from claimwise.labels import resolve_label_order
from claimwise.llm.costs import Cost
from claimwise.progress import bar
from claimwise.signature import parts_fingerprint

CHARACTERS_PER_TOKEN = 100
"""Maximum characters sent per token that the model takes, where the server cuts off the rest anyway."""
USUAL_BATCH = 32
"""Pairs that a server accepts per request by default."""
REMEDY = "Use the address of text-embeddings-inference, such as 'tei:http://localhost:8080'."


@dataclass(frozen=True)
class Served:
    """A server's information on its model.

    Attributes:
        labels: the server's names of entailment, neutral and contradiction.
        max_length: maximum length of a pair in tokens.
        max_batch: maximum pairs per request.
    """

    fingerprint: str
    signature: Mapping[str, str]
    labels: Sequence[str] = ()
    max_length: int = 0
    max_batch: int = 0


@dataclass(kw_only=True, eq=False, repr=False)
class TEIJudge(Remote):
    """Scores pairs with a classifier behind text-embeddings-inference.

    A pair that the server refuses as too long is counted as truncated, and sent again for the server to
    truncate: as with the local judge, the longer text loses its end.

    Args:
        url: address of the server, such as `http://localhost:8080`.
        label_order: names of the model's outputs, in order, if its configuration does not name them.

    Raises:
        ClaimwiseError: for an invalid option; and, when it is loaded, if the server is unreachable, refuses
            the key, or its model is not a classifier with the three labels.
    """

    url: str = field(kw_only=False)
    label_order: Sequence[str] | None = None

    tolerance: ClassVar[float] = 0.005  # a server that computes in float16 rounds each of the three

    def __post_init__(self) -> None:
        self.set_up(self.url)
        self.name = f"tei:{self.endpoint.url}"
        self.served = Served("tei-unknown", {"judge": "tei:unknown", "judge_server": self.endpoint.name})

    @property
    def fingerprint(self) -> str:
        """Distinguishes this model's scores from those of any other model; known after ``probe``.

        The server's address replaces the model's commit if the server does not know it.
        """
        return self.served.fingerprint

    @property
    def signature(self) -> Mapping[str, str]:
        """The model's entries in a metric's signature; known after ``probe``."""
        return self.served.signature

    def probe(self) -> Self:
        """Ask the server for its model, unless it is known, and return this judge.

        Called by ``load_judge`` and before the first pair: no property sends a request.
        """
        if not self.served.labels:
            with self.connected() as connection:
                self.served = self._ask_info(connection)
        return self

    def costs(self, examples: Sequence[Example], score_cache: Any) -> list[Cost]:
        """Return the cost of judging examples; no text is sent.

        The pairs in the file ``score_cache`` cost nothing; /info is then asked which model the server runs.
        """
        missing: Sequence[Pair] = Pairs.crossed(examples).distinct()[0]
        if score_cache is not None and Path(score_cache).is_file():
            with suppress(ClaimwiseError):  # the server does not run yet
                missing = pairs_not_kept(self.probe(), missing, score_cache)
        return [Cost(self.name, requests=-(-len(missing) // USUAL_BATCH))]

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        """Score (premise, hypothesis) pairs, each distinct pair once, and mark truncated pairs."""
        return gather(self, pairs)

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the judgements of each request as answers arrive.

        An answer counts only if the server still runs the same model afterwards; another model is an error.
        """
        size = self.probe().served.max_batch
        parts = (np.arange(start, min(start + size, len(pairs))) for start in range(0, len(pairs), size))
        progress = bar("NLI", len(pairs), "pair", shown=self.show_progress)
        with self.connected() as connection, progress:

            def ask(rows: Ints) -> Judgements:
                scores, truncated = self._judge(connection, list(pairs.at(rows)))
                return Judgements(probabilities=scores, truncated=truncated)

            # /info is requested once for several answers, while the threads are busy.
            for answered in connection.each(ask, parts, at_least=self.concurrency // 2):
                if self._has_same_model(connection):
                    for rows, judgements in answered:
                        yield rows, judgements
                        progress.update(len(rows))

    def shorten(self, texts: Sequence[str], tokens: int) -> list[str]:
        """Return the texts, each truncated to its first ``tokens`` tokens of the server's model."""
        longest, size = CHARACTERS_PER_TOKEN * (tokens + 1), self.probe().served.max_batch
        shortened: list[str] = []
        with self.connected() as connection:
            for start in range(0, len(texts), size):
                part = [text[:longest] for text in texts[start : start + size]]
                reply = connection.request("/tokenize", {"inputs": part, "add_special_tokens": False})
                try:
                    tokenized = zip(part, reply.content, strict=True)
                    shortened += [_first_tokens(text, spans, tokens) for text, spans in tokenized]
                except (KeyError, TypeError, ValueError):
                    problem = f"does not return the places of tokens ({reply.status}){reply.said}"
                    raise self.error(problem, "Check that it is text-embeddings-inference.") from None
        return shortened

    def _ask_info(self, connection: Connection, retries: int | None = None) -> Served:
        reply = connection.request("/info", retries=retries)
        match reply.content:
            case {
                "model_id": str(model),
                "model_type": {"classifier": {"id2label": dict(id2label)}},
                "max_input_length": int(length),
            } as info if id2label and length > 0:
                pass
            case {"model_id": str(model), "model_type": dict(kind)} if kind:
                raise self.error(
                    f"runs `{model}`, which is not a classifier ({', '.join(map(str, kind))}).",
                    "Start it with a model for natural language inference (--model-id).",
                )
            case _:
                raise self.error(f"does not name its model at /info ({reply.status}){reply.said}", REMEDY)
        names = {int(number): str(name) for number, name in id2label.items() if str(number).isdecimal()}
        try:
            labels = [names[number] for number in resolve_label_order(names, self.label_order)]
        except ClaimwiseError as error:
            raise error.at(problem=at_place(self.endpoint.name, error.problem)) from None
        revision, dtype = info.get("model_sha"), str(info.get("model_dtype", "unknown"))
        key = [model, str(revision or self.endpoint.url), dtype, length, tuple(labels)]
        fingerprint = parts_fingerprint(key)
        signature = {
            "judge": f"tei:{model}",
            **({} if revision else {"judge_server": self.endpoint.name}),
            "judge_fingerprint": fingerprint,
            "judge_revision": str(revision or "unknown"),
            "labels": ",".join(labels),
            "max_length": str(length),
            "truncation": "premise",
            "dtype": dtype,
            "text-embeddings-inference": str(info.get("version", "unknown")),
        }
        max_batch = int(info.get("max_client_batch_size") or USUAL_BATCH)
        return Served(f"tei-{fingerprint}", signature, labels, length, max_batch)

    def _has_same_model(self, connection: Connection) -> bool:
        """Return whether the server still runs the first model; False if it no longer answers.

        Raises:
            ClaimwiseError: if it runs another model; judgements that may come from it are discarded.
        """
        if connection.stop.is_set():  # a request has failed permanently; is the server still up?
            try:
                served = self._ask_info(connection.restarted(), retries=0)
            except ClaimwiseError:
                return False
        else:
            served = self._ask_info(connection)
        if served.fingerprint != self.fingerprint:
            before, now = (info.signature["judge"].removeprefix("tei:") for info in (self.served, served))
            raise self.error(
                f"now runs `{now}`. It ran `{before}` when the run began, or the same in another revision or "
                "precision.",
                "Start the run again. Judgements of the first model are in the score cache, if there is one.",
            )
        return True

    def _judge(
        self, connection: Connection, pairs: Sequence[Pair], truncate: bool = False
    ) -> tuple[Floats, Bools]:
        """Return the scores of pairs, and whether they were truncated.

        The status does not say whether a pair is too long, or the request has too many pairs or bytes, so a
        refused request is halved until it has a single pair.
        """
        longest = CHARACTERS_PER_TOKEN * self.served.max_length if truncate else None
        inputs = [[text[:longest] for text in pair] for pair in pairs]  # two texts alone would be one pair
        body = {"inputs": inputs, "raw_scores": False, "truncate": truncate}
        reply = connection.request("/predict", body)
        if reply.status == 200:
            return self._read(reply.content, len(pairs)), np.full(len(pairs), truncate)
        if reply.status not in (413, 422) or truncate:
            problem = f"rejected a request ({reply.status}){reply.said}"
            raise self.error(problem, "Check the texts and the server's limits.")
        if len(pairs) == 1:
            return self._judge(connection, pairs, truncate=True)
        half = len(pairs) // 2
        parts = [self._judge(connection, part) for part in (pairs[:half], pairs[half:])]
        scores, truncated = zip(*parts, strict=True)
        return np.concatenate(scores), np.concatenate(truncated)

    def _read(self, content: Any, count: int) -> Floats:
        """Return scores by label, whatever their order in the answer."""
        labels = self.served.labels
        try:
            if count == 1 and isinstance(content[0], dict):
                content = [content]  # a single pair
            if len(content) != count:
                raise ValueError
            answers = [{entry["label"]: float(entry["score"]) for entry in answer} for answer in content]
            return np.array([[answer[label] for label in labels] for answer in answers], dtype=np.float32)
        except (IndexError, KeyError, TypeError, ValueError):
            raise self.error(
                f"did not answer with a score for each of {', '.join(labels)}, for {count} pairs.",
                "Check that it is text-embeddings-inference. Start again: its model may have changed.",
            ) from None


def _first_tokens(text: str, tokens: Sequence[Mapping[str, Any]], count: int) -> str:
    """Return the text up to the end of its first ``count`` tokens."""
    words = [token for token in tokens if not token.get("special")]
    if len(words) <= count:
        return text
    end = int(words[count - 1]["stop"]) if count else 0
    if text.isascii() or all(text[int(word["start"]) : int(word["stop"])] == word["text"] for word in words):
        return text[:end]
    return text.encode()[:end].decode(errors="ignore")  # some versions count bytes
