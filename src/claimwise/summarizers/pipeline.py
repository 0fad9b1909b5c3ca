"""Pipelines: a summarizer is its letters (Bhaskar et al. 2022, Table 1).

``T`` assigns review sentences to aspects, ``R`` divides them by rating, ``Q`` extracts, ``C`` writes chunk by
chunk until few sentences are left, ``G`` writes the summary. Stages run side by side for all entities and
aspects: what all of them ask at one level is asked at once.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.llm.prompts import PromptText
from claimwise.scores.support import THRESHOLD, claim_scores
from claimwise.summarizers import extract, prompts
from claimwise.summarizers.base import Answer, Asking, BaseSummarizer, Request, together
from claimwise.summarizers.chunks import cut_into, fitting, plan
from claimwise.summarizers.rows import Draft, Entity, Line
from claimwise.summarizers.topics import NearestAspect

LETTERS = re.compile(r"(first-)?(t?)(r?)(q?)(c?)(g?)")
SENTENCES_OF_ANSWER = 3
"""Of an answer that was not asked for: 39 words, as the recorded ones on average."""
BLOCK = 30
"""So many sentences are asked about in one request for topics."""
TOPIC_TOKENS = 8
TOKENS_OF_BLOCK = 16
MOST_ROUNDS = 20


@dataclass(frozen=True)
class Pool:
    """What a stage reads.

    Attributes:
        entity: whose reviews they are of.
        aspect: None = all of them.
        lines: the sentences.
        are_written: whether a model has written them.
    """

    entity: Entity
    aspect: str | None
    lines: tuple[Line, ...]
    are_written: bool = False


class Pipeline(BaseSummarizer):
    """A summarizer of one entity, as a whole or by aspects, that is named by its letters.

    Args:
        letters: any of ``t``, ``r``, ``q``, ``c``, ``g`` in this order, at most once each, that end in ``q``
            or ``g``; ``first-`` stops a pipeline after its first level of writing.
        **options: see ``BaseSummarizer``.

    Raises:
        ClaimwiseError: for other letters, a bad option, a model that is missing, or T without aspects.
    """

    def __init__(self, letters: str = "q", **options: Any) -> None:
        super().__init__(**options)
        found = LETTERS.fullmatch(letters.lower())
        if not found or not any(found.groups()) or letters.lower()[-1] not in "qg":
            raise ClaimwiseError(
                f"There is no pipeline {letters!r}.",
                "Write letters in the order t, r, q, c, g, such as q, tqg or tcg: they end in q or g, and "
                "first- may stand before those that write.",
                option="pipeline",
            )
        self.letters = letters.lower()
        self.stops_first = found[1] is not None
        self.stages = "".join(found.groups()[1:])
        writes = "g" in self.stages
        if self.stops_first and not writes:
            problem = f"{letters}: nothing is written, so that there is no first level."
            raise ClaimwiseError(problem, "Leave first- out.", option="pipeline")
        given = self.options
        self.topics = given.topics or ("vectors" if self.model is None else "blocks")
        asks = writes or ("t" in self.stages and self.topics in ("blocks", "words"))
        if (asks or given.keywords != "none") and self.model is None:
            raise ClaimwiseError(
                f"The pipeline {letters!r} asks a chat model, and none is given.",
                "Give model='openai:MODEL' or model='openai:MODEL@URL', or choose a pipeline that needs "
                "none, such as q.",
                option="model",
            )
        if "t" in self.stages and not self.words:
            raise ClaimwiseError(
                "T assigns sentences to aspects, and none is given.", "Give aspects=.", option="aspects"
            )
        if given.extractor == "keywords" and not self.words and given.keywords == "none":
            remedy = "Give aspects=, or let a model be asked with keywords='all'."
            raise ClaimwiseError("The extractor 'keywords' needs words.", remedy, option="extractor")
        self.prompt = PromptText.read(given.prompt, prompts.WRITE)
        if "{lines}" not in self.prompt.text:
            raise ClaimwiseError("The prompt has no place {lines}.", "Add it.", option="prompt")
        self._nearest: NearestAspect | None = None

    @property
    def words(self) -> dict[str, list[str]]:
        """The words that tell of each aspect."""
        return self.options.words_of

    def signature_parts(self) -> dict[str, object]:
        """Return everything that the summaries depend on."""
        options, parts = self.options, dict[str, object]()
        if "t" in self.stages:
            vectors = "embedded" if options.vectors is None else Path(options.vectors).name
            parts["topics"] = self.topics if self.topics == "blocks" else f"{self.topics},{vectors}"
        if self.words:
            parts["aspects"] = ",".join("/".join(words) for words in self.words.values())
        if "q" in self.stages:
            parts |= {"extractor": options.extractor, "sentences": self._count, "keywords": options.keywords}
            parts |= {"seed": options.seed}
        if "c" in self.stages:
            parts |= {"chunk": f"{options.chunk},{options.chunk_plan}", "merge_at": options.merge_at}
        if "g" in self.stages:
            limit = f"{options.input_limit} {options.input_unit}" if options.input_limit else "none"
            parts |= {"input_limit": limit, "noun": options.noun, "prompt": self.prompt.name}
        return {"pipeline": self.letters, **self.splitter.signature, **parts}

    def entities(self, row: Mapping[str, Any], number: int) -> list[Entity]:
        """Return the one entity of a row.

        Raises:
            ClaimwiseError: for a row that cannot be read, or without ratings where R needs them.
        """
        (found,) = super().entities(row, number)
        if "q" in self.stages and self.options.extractor == "oracle" and not found.references:
            remedy = "Give the summaries to come close to, or choose another extractor."
            raise ClaimwiseError("there is no reference.", remedy, column="references", row=number)
        if "r" in self.stages:
            for place, review in enumerate(found.reviews):
                if review.rating is None:
                    raise ClaimwiseError(
                        f"the pipeline {self.letters!r} divides reviews by rating, and one has none.",
                        "Give each review as an object with text and rating, or choose a pipeline without r.",
                        column="reviews",
                        row=number,
                        review=place,
                    )
        return [found]

    def works(self, entities: Sequence[Entity]) -> Asking[dict[str | None, Draft]]:
        """Summarize one entity, by aspects if there are any."""
        (entity,) = entities
        lines = entity.lines(self.splitter)
        pools = [Pool(entity, aspect, tuple(lines)) for aspect in self.words or [None]]
        topics = Draft()
        stages = self.stages
        if "t" in stages:
            stages = stages[1:]
            of_lines = yield from self._assigned(lines, topics)
            pools = [
                replace(
                    pool,
                    lines=tuple(
                        line for line, of_line in zip(lines, of_lines, strict=True) if pool.aspect in of_line
                    ),
                )
                for pool in pools
            ]
        drafts = yield from together([self._summarized(pool, stages) for pool in pools])
        for draft in drafts:
            draft.requests += topics.requests
            draft.fallbacks += topics.fallbacks
        return {pool.aspect: draft for pool, draft in zip(pools, drafts, strict=True)}

    # Stages -------------------------------------------------------------------------------------------

    def _summarized(self, pool: Pool, stages: str) -> Asking[Draft]:
        """Return the summary of a pool."""
        draft = Draft()
        if not pool.lines:
            draft.reason = "no sentence is about it" if pool.aspect else "no sentences"
            return draft
        if len(pool.lines) == 1 and stages != "q":
            draft.text, draft.reason = pool.lines[0].text, "one sentence, taken as it is"
            draft.extract = list(pool.lines)
            return draft
        if stages.startswith("r"):
            return (yield from self._by_rating(pool, stages[1:], draft))
        for stage in stages:
            if stage == "q":
                pool = yield from self._extracted(pool, draft)
                if not pool.lines:
                    draft.reason = "no sentence is about it"
                    return draft
            elif stage == "c":
                pool = yield from self._chunked(pool, draft)
            elif not (self.stops_first and draft.levels):
                (draft.text,) = yield from self._written([list(pool.lines)], pool, draft)
        if "g" not in stages:
            draft.text = " ".join(_ended(line.text) for line in pool.lines)
        elif self.stops_first:
            draft.text = "\n".join(draft.levels[0]) if draft.levels else None
        if draft.text is None and draft.reason is None:
            draft.reason = "the model gave no answer that can be used"
        return draft

    def _by_rating(self, pool: Pool, stages: str, draft: Draft) -> Asking[Draft]:
        """Summarize each stratum, and what was written of all of them; ratings ascend."""
        by_rating = sorted(pool.lines, key=lambda line: line.rating or 0.0)
        strata = [tuple(some) for _, some in groupby(by_rating, key=lambda line: line.rating)]
        of_strata = yield from together(
            [self._summarized(replace(pool, lines=lines), stages) for lines in strata]
        )
        for one in of_strata:
            draft.add(one)
        texts = [one.text for one in of_strata if one.text is not None]
        if "g" in stages and not draft.levels:
            draft.levels = [texts]
        if not texts:
            draft.reason = of_strata[0].reason
        elif "g" not in stages:
            draft.text = " ".join(texts)
        elif self.stops_first or len(texts) == 1:
            draft.text = "\n".join(texts)
        else:
            written = replace(pool, lines=tuple(map(Line, texts)), are_written=True)
            (draft.text,) = yield from self._written([list(written.lines)], written, draft)
            draft.reason = None if draft.text else "the model gave no answer that can be used"
        return draft

    def _extracted(self, pool: Pool, draft: Draft) -> Asking[Pool]:
        """Q: choose sentences."""
        options = self.options
        words = [] if pool.aspect is None else self.words[pool.aspect]
        if pool.aspect is None and options.keywords != "none":
            words = yield from self._keywords(pool, draft)
        chosen = extract.choose(
            pool.lines,
            self._count,
            options.extractor,
            words=words,
            only=pool.aspect is not None and "t" not in self.stages,
            references=pool.entity.references,
            seed=options.seed,
            supporters=self._supporters,
        )
        draft.extract = chosen
        return replace(pool, lines=tuple(chosen))

    def _keywords(self, pool: Pool, draft: Draft) -> Asking[list[str]]:
        """Ask the model for keywords of an entity; none where it gives none."""
        lines, options = pool.lines, self.options
        if options.keywords == "five":
            numbers = sorted({line.review for line in lines if line.review is not None})
            some = set(random.Random(options.seed).sample(numbers, min(5, len(numbers))))
            lines = tuple(line for line in lines if line.review in some)
        kept = fitting(lines, options.input_limit, options.input_unit)
        draft.truncated += len(kept) < len(lines)
        prompt = prompts.filled(prompts.KEYWORDS, noun=options.noun, lines=prompts.text_block(kept))
        (answer,) = yield [Request(prompt, options.max_tokens, "quality, price")]
        self._count_in(draft, [answer])
        return [] if answer.text is None else prompts.read_topics(answer.text)

    def _chunked(self, pool: Pool, draft: Draft) -> Asking[Pool]:
        """C: write chunk by chunk until few sentences are left."""
        options = self.options
        size = options.chunk
        limit = size if options.merge_at == "shrinking" else options.merge_at
        for _ in range(MOST_ROUNDS):
            if len(pool.lines) <= limit or (self.stops_first and draft.levels):
                break
            lengths = plan(len(pool.lines), size, options.chunk_plan)
            if len(lengths) == 1:  # which G writes
                break
            answers = yield from self._written(cut_into(pool.lines, lengths), pool, draft)
            lines = [Line(s) for answer in answers if answer is not None for s in self.splitter(answer)]
            if not lines or len(lines) >= len(pool.lines):  # it would never end
                pool = replace(pool, lines=tuple(lines), are_written=True)
                break
            pool = replace(pool, lines=tuple(lines), are_written=True)
            if options.merge_at == "shrinking":
                size = limit = max(lengths[0], 2)
        return pool

    def _written(
        self, inputs: Sequence[Sequence[Line]], pool: Pool, draft: Draft
    ) -> Asking[list[str | None]]:
        """Ask the model to write about each input; the answers are a level of the draft."""
        options, requests = self.options, []
        for lines in inputs:
            kept = fitting(lines, options.input_limit, options.input_unit)
            draft.truncated += len(kept) < len(lines)
            prompt = prompts.filled(
                self.prompt.text,
                lines=prompts.text_block(kept),
                noun=options.noun,
                topic=f"the {pool.aspect}" if pool.aspect else f"the {options.noun}",
                source=prompts.SOURCES[pool.are_written],
            )
            requests.append(Request(prompt, options.max_tokens))
        if not inputs or not inputs[0]:
            return [None]
        answers = yield requests
        self._count_in(draft, answers)
        texts = [self._whole_sentences(answer, draft) for answer in answers]
        if any(texts):
            draft.levels.append([text for text in texts if text is not None])
        return texts

    def _whole_sentences(self, answer: Answer, draft: Draft) -> str | None:
        """Return what was written, of an answer that was cut off its whole sentences."""
        if answer.text is None or not answer.is_cut_off:
            return answer.text
        whole = " ".join(self.splitter(answer.text)[:-1])
        draft.truncated += 1
        draft.fallbacks += not whole
        return whole or None

    def _assigned(self, lines: Sequence[Line], draft: Draft) -> Asking[list[list[str]]]:
        """T: return the aspects of each sentence."""
        texts = [line.text for line in lines]
        if self.topics == "vectors":
            return self.nearest(texts)
        noun, names = self.options.noun, list(self.words)
        if self.topics == "words":
            answers = yield [
                Request(
                    prompts.filled(prompts.TOPIC, noun=noun, lines=text), TOPIC_TOKENS, names[n % len(names)]
                )
                for n, text in enumerate(texts)
            ]
            self._count_in(draft, answers)
            named = [prompts.read_topics(answer.text or "") for answer in answers]
            topics = list(dict.fromkeys(topic for of_line in named for topic in of_line))
            aspects = dict(zip(topics, self.nearest(topics), strict=True)) if topics else {}
            return [list(dict.fromkeys(a for topic in of_line for a in aspects[topic])) for of_line in named]
        blocks = cut_into(lines, plan(len(lines), BLOCK, "balanced"))
        answers = yield [
            Request(
                prompts.block_prompt(block, noun, names),
                TOKENS_OF_BLOCK * len(block),
                "\n".join(f"{n}: {names[n % len(names)]}" for n in range(1, len(block) + 1)),
            )
            for block in blocks
        ]
        self._count_in(draft, answers)
        found: list[list[str]] = []
        for block, answer in zip(blocks, answers, strict=True):
            of_block = prompts.read_blocks(answer.text or "", len(block), names)
            draft.fallbacks += sum(one is None for one in of_block) if answer.text is not None else 0
            found += [one or [] for one in of_block]
        return found

    @property
    def _count(self) -> int:
        return self.options.sentences if self.stages.endswith("q") else self.options.long

    @property
    def nearest(self) -> NearestAspect:
        """What tells the aspect of a text by word vectors."""
        if self._nearest is None:
            self._nearest = NearestAspect(self.words, self.options.vectors)
        return self._nearest

    def _supporters(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Any:
        """Return which sentences the judge finds to support which, ``[premises, hypotheses]``."""
        from claimwise.nli.crossing import cross

        (found,) = cross(self.support.judge, [(premises, hypotheses)])
        return np.stack(list(claim_scores(found.probabilities)), axis=1) >= THRESHOLD


def _ended(text: str) -> str:
    """Return a sentence with an end, so that it does not run into the next."""
    return text if text.rstrip("\"'”’)").endswith((".", "!", "?", "…")) else f"{text}."
