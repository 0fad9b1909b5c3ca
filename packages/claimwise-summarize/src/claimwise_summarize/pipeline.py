"""Pipelines, named by the letters of their stages (Bhaskar et al. 2022, Table 1).

``T`` assigns review sentences to aspects, ``R`` divides them by rating, ``Q`` extracts, ``C`` writes chunk by
chunk until few sentences are left, ``G`` writes the summary. Each stage runs for all entities and aspects
in parallel: the requests of one level are sent together.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.judges.crossing import cross
from claimwise.judges.estimate import CountingJudge
from claimwise.judges.hub import embedded_fingerprint
from claimwise.llm.costs import Cost
from claimwise.llm.prompts import PromptText
from claimwise.scores.support import THRESHOLD, claim_scores
from claimwise.signature import file_digest
from claimwise.text.claims import SentencesDecomposer
from claimwise_summarize import extract, prompts
from claimwise_summarize.base import BaseSummarizer
from claimwise_summarize.chunks import cut_into, fitting, plan
from claimwise_summarize.nearest import NearestAspect
from claimwise_summarize.options import NAME_A_MODEL
from claimwise_summarize.rounds import Answer, Asking, Counting, Request, together
from claimwise_summarize.rows import Draft, Entity, Line

LETTERS = re.compile(r"(first-)?(t?)(r?)(q?)(c?)(g?)")
BLOCK, TOKENS_OF_BLOCK, TOPIC_TOKENS = 30, 16, 8
"""Sentences per request for topics; maximum answer tokens per sentence in such a block, and per topic."""
MOST_ROUNDS = 20


@dataclass(frozen=True)
class Pool:
    """Input of a stage: sentences about an aspect (None = everything), from reviews or written by a model."""

    entity: Entity
    aspect: str | None
    lines: tuple[Line, ...]
    are_written: bool = False


class Pipeline(BaseSummarizer):
    """Summarizes one entity, as a whole or by aspects, in the stages named by its letters.

    Args:
        letters: any of ``t``, ``r``, ``q``, ``c``, ``g`` in this order, each at most once, ending in ``q`` or
            ``g``; the prefix ``first-`` stops the pipeline after its first level of writing.
        **options: see ``BaseSummarizer``.

    Raises:
        ClaimwiseError: for invalid letters, an invalid option, a missing model, or T without aspects.
    """

    def __init__(self, letters: str = "q", **options: Any) -> None:
        super().__init__(**options)
        self.letters, chosen = letters.lower(), self.options
        match = LETTERS.fullmatch(self.letters)
        if not match or self.letters[-1:] not in ("q", "g") or (match[1] and not match[6]):
            remedy = (
                "The letters must be in the order t, r, q, c, g, and the last one must be q or g, as in q, "
                "tqg or tcg. The prefix first- needs a pipeline that ends in g."
            )
            raise ClaimwiseError(f"Unknown pipeline `{letters}`.", remedy, option="pipeline")
        self.stops_first, self.stages = match[1] is not None, "".join(match.groups()[1:])
        self.words = chosen.words_of
        self.topics = chosen.topics or ("vectors" if self.model is None else "blocks")
        self._check_options()
        self.count = chosen.sentences if self.stages.endswith("q") else chosen.long
        self.prompt = PromptText.read(chosen.prompt, prompts.WRITE)
        if "{lines}" not in self.prompt.text:
            raise ClaimwiseError("The prompt lacks the placeholder {lines}.", "Add it.", option="prompt")

    def _check_options(self) -> None:
        """Raise an error if a stage lacks a model, aspects or keywords."""
        keywords = self.options.keywords
        asks = "g" in self.stages or keywords != "none"
        if self.model is None and (asks or ("t" in self.stages and self.topics != "vectors")):
            problem = f"The pipeline `{self.letters}` needs a chat model."
            raise ClaimwiseError(problem, f"{NAME_A_MODEL}, or use the offline pipeline q.", option="model")
        if "t" in self.stages and not self.words:
            problem = "The stage t assigns sentences to aspects, but there are none."
            raise ClaimwiseError(problem, "Name the aspects.", option="aspects")
        if self.options.extractor == "keywords" and not self.words and keywords == "none":
            remedy = "Name aspects, or set `keywords` to all, so that a chat model chooses the keywords."
            raise ClaimwiseError("The extractor `keywords` needs keywords.", remedy, option="extractor")

    def signature_parts(self) -> dict[str, object]:
        """Return everything besides the model that the summaries depend on."""
        options, parts = self.options, {"pipeline": self.letters, **self.splitter.signature}
        if self.words:
            quoted = ([quote(word, safe=" ") for word in words] for words in self.words.values())
            parts["aspects"] = ",".join(map("/".join, quoted))
        if "t" in self.stages:
            parts["topics"] = self.topics if self.topics == "blocks" else f"{self.topics},{self._vectors}"
        if "q" in self.stages:
            parts["extract"] = f"{options.extractor},{self.count},{options.keywords},{options.seed}"
        if self._asks_judge:
            parts |= self.support.judge.signature
        if "c" in self.stages:
            parts["chunks"] = f"{options.chunk},{options.chunk_plan},{options.merge_at}"
        if self.model is not None:
            limit = "none" if options.input_limit is None else f"{options.input_limit},{options.input_unit}"
            parts |= {"input_limit": limit, "noun": options.noun}
        if "g" in self.stages:
            parts["prompt"] = self.prompt.name
        return {**parts}

    @property
    def _asks_judge(self) -> bool:
        """Whether the judge chooses sentences."""
        return "q" in self.stages and self.options.extractor == "judge"

    @cached_property
    def _vectors(self) -> str:
        """Name and fingerprint of the word vectors."""
        _ = self.nearest  # rejects a file that cannot be read
        if self.options.vectors is None:
            return f"embedded-{embedded_fingerprint()}"
        path = Path(self.options.vectors).expanduser()
        return f"{path.name}-{file_digest(path)[:12]}"

    def estimate(self, rows: Sequence[Mapping[str, Any]]) -> list[Cost]:
        """Estimate the cost of a run, and of the judge if it chooses sentences; nothing is sent."""
        if not self._asks_judge:
            return super().estimate(rows)
        judge = CountingJudge(self.support.options)
        counting = None if self.model is None else Counting(self.model)
        counted = copy.copy(self)
        counted.__dict__["support"] = self.support.counting(judge, SentencesDecomposer())
        counted._drafted(rows, 0, counting or (lambda requests: []))
        return [*(counting.costs() if counting else ()), *judge.costs()]

    def entities(self, row: Mapping[str, Any], number: int) -> list[Entity]:
        """Return the entity of a row; raise a ClaimwiseError if R lacks ratings or Q references."""
        (entity,) = super().entities(row, number)
        if "q" in self.stages and self.options.extractor == "oracle" and not entity.references:
            problem = "the extractor `oracle` needs a reference summary."
            remedy = "Provide reference summaries, or choose another extractor."
            raise ClaimwiseError(problem, remedy, column="references", row=number)
        unrated = [index for index, review in enumerate(entity.reviews) if review.rating is None]
        if "r" in self.stages and unrated:
            problem = f"the pipeline `{self.letters}` needs ratings, but this review has none."
            remedy = "Write each review as an object with text and rating, or choose a pipeline without r."
            raise ClaimwiseError(problem, remedy, column="reviews", row=number, review=unrated[0])
        return [entity]

    def works(self, entities: Sequence[Entity]) -> Asking[dict[str | None, Draft]]:
        """Summarize one entity, by aspects if there are any."""
        (entity,) = entities
        lines, topics, stages = entity.lines(self.splitter), Draft(), self.stages
        pools = [Pool(entity, aspect, tuple(lines)) for aspect in self.words or [None]]
        if stages.startswith("t"):
            stages = stages[1:]
            aspects = yield from self._aspects(lines, topics)
            pools = [
                replace(pool, lines=tuple(compress(lines, (pool.aspect in names for names in aspects))))
                for pool in pools
            ]
        drafts = yield from together([self._summary(pool, stages) for pool in pools])
        for draft in drafts:
            draft.add(topics)
        return {pool.aspect: draft for pool, draft in zip(pools, drafts, strict=True)}

    def _summary(self, pool: Pool, stages: str) -> Asking[Draft]:
        """Return the summary of a pool."""
        draft = Draft()
        if len(pool.lines) == 1 and stages != "q":
            draft.text, draft.reason = pool.lines[0].text, "the only sentence, copied unchanged"
            draft.extract = list(pool.lines)
            return draft
        if stages.startswith("r"):
            return (yield from self._by_rating(pool, stages[1:], draft))
        if pool.lines and "q" in stages:
            pool = yield from self._extract(pool, draft)
        if not pool.lines:
            draft.reason = "no sentence is about this aspect" if pool.aspect else "no sentence is left"
            return draft
        if "g" not in stages:
            draft.text = " ".join(line.ended for line in pool.lines)
            return draft
        if "c" in stages:
            pool = yield from self._chunks(pool, draft)
        if not (self.stops_first and draft.levels):
            (draft.text,) = yield from self._written([pool.lines], pool, draft)
        if self.stops_first and draft.levels:
            draft.text = "\n".join(draft.levels[0])
        draft.reason = draft.reason or ("nothing was written" if draft.text is None else None)
        return draft

    def _by_rating(self, pool: Pool, stages: str, draft: Draft) -> Asking[Draft]:
        """R: summarize each stratum by ascending rating, then summarize the summaries."""
        by_rating = sorted(pool.lines, key=lambda line: line.rating or 0.0)
        strata = [tuple(lines) for _, lines in groupby(by_rating, key=lambda line: line.rating)]
        parts = yield from together([self._summary(replace(pool, lines=lines), stages) for lines in strata])
        for part in parts:
            draft.add(part)
        texts = [part.text for part in parts if part.text is not None]
        draft.levels = draft.levels or ([texts] if "g" in stages else [])
        draft.reason = next((part.reason for part in parts if part.text is None), None)
        if "g" in stages and not self.stops_first and len(texts) > 1:
            written = replace(pool, lines=tuple(map(Line, texts)), are_written=True)
            (draft.text,) = yield from self._written([written.lines], written, draft)
        elif texts:
            draft.text = ("\n" if "g" in stages else " ").join(texts)
        return draft

    def _extract(self, pool: Pool, draft: Draft) -> Asking[Pool]:
        """Q: choose sentences."""
        options, words = self.options, [] if pool.aspect is None else self.words[pool.aspect]
        if pool.aspect is None and options.keywords != "none":
            words = yield from self._keywords(pool, draft)
        draft.extract = extract.choose(
            pool.lines,
            self.count,
            options.extractor,
            words=words,
            only=pool.aspect is not None and "t" not in self.stages,
            references=pool.entity.references,
            seed=options.seed,
            supporters=self._supporters,
        )
        return replace(pool, lines=tuple(draft.extract))

    def _keywords(self, pool: Pool, draft: Draft) -> Asking[list[str]]:
        """Ask the model for keywords of an entity; an empty list if it names none."""
        lines, options = pool.lines, self.options
        if options.keywords == "five":
            numbers = sorted({line.review for line in lines if line.review is not None})
            drawn = set(random.Random(options.seed).sample(numbers, min(5, len(numbers))))
            lines = tuple(line for line in lines if line.review in drawn)
        kept = fitting(lines, options.input_limit, options.input_unit)
        draft.truncated += len(kept) < len(lines)
        prompt = prompts.filled(prompts.KEYWORDS, noun=options.noun, lines=prompts.text_block(kept))
        (answer,) = yield [Request(prompt, options.max_tokens, "quality, price")]
        draft.count([answer])
        return prompts.read_topics(answer.text or "")

    def _chunks(self, pool: Pool, draft: Draft) -> Asking[Pool]:
        """C: write chunk by chunk until few sentences are left."""
        options, size = self.options, self.options.chunk
        limit = size if options.merge_at == "shrinking" else options.merge_at
        for _ in range(MOST_ROUNDS):
            lengths = plan(len(pool.lines), size, options.chunk_plan)
            if len(pool.lines) <= limit or len(lengths) == 1 or (self.stops_first and draft.levels):
                break
            answers = yield from self._written(cut_into(pool.lines, lengths), pool, draft)
            lines = [Line(s) for answer in answers if answer is not None for s in self.splitter(answer)]
            is_shorter = 0 < len(lines) < len(pool.lines)  # otherwise the loop would not end
            pool = replace(pool, lines=tuple(lines), are_written=True)
            if not is_shorter:
                break
            if options.merge_at == "shrinking":
                size = limit = max(lengths[0], 2)
        return pool

    def _written(
        self, inputs: Sequence[Sequence[Line]], pool: Pool, draft: Draft
    ) -> Asking[list[str | None]]:
        """Ask the model to summarize each input; the answers form one level of the draft."""
        options, requests = self.options, list[Request]()
        if not any(inputs):
            return [None]
        for lines in inputs:
            kept = fitting(lines, options.input_limit, options.input_unit)
            draft.truncated += len(kept) < len(lines)
            prompt = prompts.filled(
                self.prompt.text,
                lines=prompts.text_block(kept),
                noun=options.noun,
                topic=f"the {pool.aspect or options.noun}",
                source=prompts.SOURCES[pool.are_written],
            )
            requests.append(Request(prompt, options.max_tokens))
        answers = yield requests
        draft.count(answers)
        texts = [self._whole_sentences(answer, draft) for answer in answers]
        draft.levels += [[text for text in texts if text is not None]] if any(texts) else []
        return texts

    def _whole_sentences(self, answer: Answer, draft: Draft) -> str | None:
        """Return the text of an answer, or the complete sentences of a truncated answer."""
        if answer.text is None or not answer.is_cut_off:
            return answer.text
        whole = " ".join(self.splitter(answer.text)[:-1])
        draft.truncated += 1
        draft.fallbacks += not whole
        return whole or None

    def _aspects(self, lines: Sequence[Line], draft: Draft) -> Asking[list[list[str]]]:
        """T: return the aspects of each sentence."""
        if self.topics == "vectors":
            return self.nearest([line.text for line in lines])
        if self.topics == "words":
            return (yield from self._aspects_by_topic(lines, draft))
        return (yield from self._aspects_by_block(lines, draft))

    def _aspects_by_topic(self, lines: Sequence[Line], draft: Draft) -> Asking[list[list[str]]]:
        """Ask for the topic of each sentence, and map topics to aspects by word vectors."""
        names = list(self.words)
        requests = []
        for number, line in enumerate(lines):
            prompt = prompts.filled(prompts.TOPIC, noun=self.options.noun, lines=line.text)
            requests.append(Request(prompt, TOPIC_TOKENS, names[number % len(names)]))
        answers = yield requests
        draft.count(answers)
        topics_of_lines = [prompts.read_topics(answer.text or "") for answer in answers]
        topics = sorted({topic for topics in topics_of_lines for topic in topics})
        nearest = dict(zip(topics, self.nearest(topics), strict=True))
        return [
            list(dict.fromkeys(aspect for topic in topics for aspect in nearest[topic]))
            for topics in topics_of_lines
        ]

    def _aspects_by_block(self, lines: Sequence[Line], draft: Draft) -> Asking[list[list[str]]]:
        """Ask for the aspects of several numbered sentences at once."""
        names = list(self.words)
        blocks = cut_into(lines, plan(len(lines), BLOCK, "balanced"))
        requests = []
        for block in blocks:
            numbered = prompts.text_block(block, numbered=True)
            prompt = prompts.filled(
                prompts.TOPICS, noun=self.options.noun, lines=numbered, aspects=", ".join(names)
            )
            typical = "\n".join(f"{n}: {names[n % len(names)]}" for n in range(1, len(block) + 1))
            requests.append(Request(prompt, TOKENS_OF_BLOCK * len(block), typical))
        answers = yield requests
        draft.count(answers)
        aspects: list[list[str]] = []
        for block, answer in zip(blocks, answers, strict=True):
            read = prompts.read_blocks(answer.text or "", len(block), names)
            draft.fallbacks += read.count(None) if answer.text is not None else 0
            aspects += [named or [] for named in read]
        return aspects

    @cached_property
    def nearest(self) -> NearestAspect:
        """Finds the nearest aspects of texts by word vectors."""
        return NearestAspect(self.words, self.options.vectors)

    def _supporters(self, premises: Sequence[str], hypotheses: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return whether each premise supports each hypothesis by the judge, ``[premises, hypotheses]``."""
        (judgements,) = cross(self.support.judge, [(premises, hypotheses)])
        return claim_scores(judgements.probabilities).T >= THRESHOLD
