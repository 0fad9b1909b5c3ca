"""SummaC-Conv: a learned reading of how a source supports each sentence of a summary (Laban et al. 2022)."""

from __future__ import annotations

import hashlib
import io
import json
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import EntailedHypothesis, EntailmentEvidence, SourcePremise
from claimwise.metrics.base import Row, RowScore
from claimwise.metrics.citations import LABAN_2022
from claimwise.metrics.judging import Notes
from claimwise.metrics.spec import FALLBACKS, SOURCES, SUMMARIES, TRUNCATED, MetricSpec
from claimwise.metrics.steps import Claims, NLIMetric, NLIOptions, texts_of
from claimwise.metrics.summac_zs import with_probabilities
from claimwise.nli.protocol import Judge, Judgements
from claimwise.options import option
from claimwise.scores.histogram import bin_edges, entailment_histograms
from claimwise.scores.summac import best_premises
from claimwise.text.claims import Decomposer
from claimwise.text.inputs import check_lengths

if TYPE_CHECKING:
    import torch

RELEASED_WEIGHTS = "https://github.com/tingofurro/summac/raw/master/summac_conv_vitc_sent_perc_e.bin"
# What the released code reads of a source and of a summary.
FIRST_PREMISES, FIRST_HYPOTHESES = 100, 10
# How the authors trained: Adam at this rate, batches of this size.
LEARNING_RATE, BATCH_SIZE = 0.01, 32
TIMEOUT_SECONDS = 30
DEFAULT_WEIGHTS = Path(__file__).parent / "summac_conv.json"


@dataclass(frozen=True, kw_only=True)
class SummacConvOptions(NLIOptions):
    """Options of SummaC-Conv."""

    weights: str | Path | None = option(
        None,
        "path or URL of the file that the authors released, or of one that `SummacConv.fit` wrote; None = "
        "those that come with the package, for the embedded model",
    )
    weights_sha256: str | None = option(None, "its checksum, which a URL needs")
    bins: str = option(
        "percentile",
        '`"percentile"` (those of the released weights) or `"even<number>"`, such as `"even50"`',
    )
    first_sentences_only: bool = option(
        False,
        "bool; True = read only the first 100 sentences of a source and the first ten of a summary, as the "
        "released code does; what is left out is counted",
    )
    decomposer: str | Decomposer = option(
        "sentences",
        '`"sentences"` (each sentence is one claim), `"clauses"` (a parser and rules over its trees), '
        '`"learned"` (a small network writes the claims), `"rules"` (word lists), `"openai:MODEL"` (a '
        "chat model), the name of a registered one, an `LLMDecomposer`, any `Decomposer`, or a function",
    )


class Weights(NamedTuple):
    """The parameters of SummaC-Conv by their names in the file, and the first digits of its sha256."""

    parameters: dict[str, torch.Tensor]
    fingerprint: str


class Example(NamedTuple):
    """A summary and its source on their way to a score."""

    premises: list[SourcePremise]
    hypotheses: Claims
    left_out: int

    @property
    def pairs(self) -> tuple[list[str], list[str]]:
        """The texts of the premises and of the hypotheses."""
        return texts_of(self.premises), self.hypotheses.claims


class SummacConv(NLIMetric):
    """SummaC-Conv (Laban et al. 2022): the probability that a summary is consistent with its source.

    In [0, 1]. The weights that come with it are for the embedded model, fitted on summaries made from
    OpinionNLI; others are the file that the authors released, or one that ``fit`` wrote.
    """

    Options = SummacConvOptions
    spec = MetricSpec(
        name="summac_conv",
        title="SummaC-Conv",
        family="factuality",
        question="does the source support each sentence, as learned from labelled pairs?",
        description=(
            "SummaC-Conv measures how consistent a summary is with its source. An NLI model compares "
            "every sentence of the summary with every sentence of the source; how many source sentences "
            "entail a summary sentence, and how surely, is counted in a histogram; and a one-dimensional "
            "convolution over the histograms, learned from labelled pairs, gives the probability that the "
            "summary is consistent."
        ),
        bounds=(0, 1),
        ends=("not supported", "fully supported"),
        better="higher",
        columns=(SUMMARIES, SOURCES),
        rows="summary",
        mean_over="summaries",
        counts={
            "truncated": TRUNCATED,
            "fallbacks": FALLBACKS,
            "left_out": "sentences that `first_sentences_only` left out",
        },
        configurations={
            "default": {},
            "summac": {"nli_model": "vitc", "first_sentences_only": True},
        },
        source="Laban et al. 2022",
        citation=LABAN_2022,
        urls=("https://github.com/tingofurro/summac",),
    )

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        self._edges = bin_edges(self.options.bins)
        self._fitted: Weights | None = None

    def load(self) -> None:
        """Load the weights, the splitter, the decomposer and the judge.

        Raises:
            ClaimwiseError: if there are no weights for these options, or they do not fit; the message says
                how to get or fit them.
        """
        _ = self._weights
        super().load()

    def fit(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        labels: Sequence[int],
        output: str | Path,
        steps: int = 1500,
        seed: int = 0,
    ) -> float:
        """Train the weights on labelled pairs, write them, and use them from now on.

        As Laban et al. train: cross-entropy, Adam at 0.01, batches of 32 pairs drawn at random.

        Args:
            predictions: summaries.
            references: their sources.
            labels: 1 for a summary that is consistent with its source, 0 for one that is not.
            output: the safetensors file to write.
            steps: batches to train on.
            seed: of the batches.

        Returns:
            The cross-entropy over all pairs at the end; guessing gives 0.69.

        Raises:
            ClaimwiseError: for pairs that cannot be scored, labels other than 0 and 1 or all alike, or a
                file that cannot be written.
        """
        import torch
        from safetensors.torch import save

        rows = self.rows({"predictions": predictions, "references": references})
        targets = torch.tensor(_check_labels(labels, len(rows)))
        output = Path(output)
        with _writing(output):  # before the work, not after it
            output.parent.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=output.parent).close()
        means = _means(self._histograms(self._predictions(self._examples(rows))))
        parameters = self._untrained()
        optimizer = torch.optim.Adam(
            [tensor.requires_grad_() for tensor in parameters.values()], lr=LEARNING_RATE
        )
        generator = torch.Generator().manual_seed(seed)
        for _ in range(steps):
            batch = torch.randint(len(targets), (BATCH_SIZE,), generator=generator)
            logits = _logits(parameters, means[batch])
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(logits, targets[batch]).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        fitted = {name: tensor.detach() for name, tensor in parameters.items()}
        # One entry: safetensors writes several in any order, and the same fit should give the same file.
        content = save(fitted, metadata={"fitted_with": json.dumps(self._fitted_with())})
        with _writing(output):
            output.write_bytes(content)
        self._fitted = Weights(fitted, _sha256(content)[:12])
        return float(torch.nn.functional.cross_entropy(_logits(fitted, means), targets))

    def counting(self, judge: Judge, decomposer: Decomposer) -> Self:
        """Return a metric that counts; weights that nothing was learned by fit any judge."""
        other = super().counting(judge, decomposer)
        other._fitted = Weights(self._untrained(), "untrained")
        return other

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also the histograms of its hypotheses."""
        parameters = self._weights.parameters
        examples = self._examples(rows)
        predictions = self._predictions(examples)
        histograms = self._histograms(predictions)
        scores = _probabilities(parameters, _means(histograms))
        return [
            Notes.of([example.pairs], [prediction])
            .of_claims([example.hypotheses])
            .on(
                RowScore(
                    score=score,
                    counts={
                        "truncated": int(prediction.truncated.sum()),
                        "fallbacks": example.hypotheses.fallbacks,
                        "left_out": example.left_out,
                    },
                    evidence=_evidence(score, parameters, example, prediction, rows_of_bins)
                    if details
                    else None,
                )
            )
            for score, example, prediction, rows_of_bins in zip(
                scores, examples, predictions, histograms, strict=True
            )
        ]

    def _examples(self, rows: Sequence[Row]) -> list[Example]:
        examples = []
        for claims, premises in zip(
            self.claims([row.prediction for row in rows]),
            self.premises([row.reference or () for row in rows]),
            strict=True,
        ):
            left_out = 0
            if self.options.first_sentences_only:
                left_out = max(0, len(premises) - FIRST_PREMISES)
                left_out += max(0, len(claims.claims) - FIRST_HYPOTHESES)
                premises = premises[:FIRST_PREMISES]
                claims = claims.at(range(min(FIRST_HYPOTHESES, len(claims.claims))))
            examples.append(Example(premises, claims, left_out))
        return examples

    def _predictions(self, examples: list[Example]) -> list[Judgements]:
        return self.judgements([example.pairs for example in examples])

    def _histograms(self, predictions: Sequence[Judgements]) -> list[torch.Tensor]:
        """Return float32 ``[hypotheses, bins]`` per summary."""
        import torch

        return [
            torch.from_numpy(entailment_histograms(of_one.probabilities, self._edges)).float()
            for of_one in predictions
        ]

    def _untrained(self) -> dict[str, torch.Tensor]:
        """Return the parameters that fitting starts from."""
        import torch

        parameters = {name: torch.zeros(shape) for name, shape in self._shapes().items()}
        parameters["layer_final.weight"][1] = 1
        return parameters

    @property
    def _weights(self) -> Weights:
        return self._fitted or self._given_weights

    @cached_property
    def _given_weights(self) -> Weights:
        weights = self.options.weights or self._default_weights()
        content = _read(str(weights), self.options.weights_sha256)
        parameters, fitted_with = _parse(content, str(weights))
        found = {name: tuple(tensor.shape) for name, tensor in parameters.items()}
        if found != self._shapes():
            raise ClaimwiseError(
                f"The weights {str(weights)!r} hold {found}, but bins={self.options.bins!r} needs "
                f"{self._shapes()}.",
                "Pass the bins they were fitted with, or other weights.",
                option="weights",
            )
        if fitted_with and fitted_with != self._fitted_with():
            raise ClaimwiseError(
                f"The weights {str(weights)!r} were fitted with {fitted_with}, not {self._fitted_with()}.",
                "Load the metric with the options it was fitted with, or fit it again.",
                option="weights",
            )
        return Weights(parameters, _sha256(content)[:12])

    def _default_weights(self) -> Path:
        """Return the file of the weights that come with the package, if they are for these options.

        Raises:
            ClaimwiseError: for another judge or other bins, which need weights of their own.
        """
        judge, bins = self.options.nli_model, self.options.bins
        fitted_with = json.loads(DEFAULT_WEIGHTS.read_bytes())["fitted_with"]
        is_another = isinstance(judge, str) and judge != "default" and not Path(judge).is_dir()
        if is_another or bins != fitted_with["bins"] or fitted_with != self._fitted_with():
            raise ClaimwiseError(
                f"summac_conv has no weights for nli_model={judge!r} with bins={bins!r}; those that come "
                f"with it are for the embedded model, with bins={fitted_with['bins']!r}.",
                f"Pass weights=: a file that SummacConv.fit wrote from labelled pairs, or the authors' file, "
                f"to be had from {RELEASED_WEIGHTS}, together with the configuration 'summac' (the NLI model "
                f"it was trained with).",
                option="weights",
            )
        return DEFAULT_WEIGHTS

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the parameters under the names they have in the released file."""
        return {
            "mlp.weight": (1, len(self._edges) - 1),
            "mlp.bias": (1,),
            "layer_final.weight": (2, 3),
            "layer_final.bias": (2,),
        }

    def _fitted_with(self) -> dict[str, str]:
        """Return what else the parameters depend on."""
        signature = self.judge.signature
        return {
            "bins": self.options.bins,
            "nli_fingerprint": signature.get("nli_fingerprint", self.judge.fingerprint),
        }

    def _signature_parts(self) -> dict[str, object]:
        return {
            **super()._signature_parts(),
            "bins": self.options.bins,
            "sentences": "first" if self.options.first_sentences_only else "all",
            "weights": self._weights.fingerprint,
        }


def _means(histograms: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the mean histogram of each summary's hypotheses, ``[summaries, bins]``."""
    import torch

    return torch.stack([of_summary.mean(dim=0) for of_summary in histograms])


def _logits(parameters: dict[str, torch.Tensor], means: torch.Tensor) -> torch.Tensor:
    """Return the logits ``[summaries, 2]`` of inconsistent and consistent.

    The kernel of the convolution is as wide as a histogram, so it turns every hypothesis into one value;
    being linear, it turns the mean histogram into their mean. The last layer takes that mean three times (the
    released code can give it the minimum, the mean and the maximum instead).

    Args:
        parameters: by name.
        means: ``[summaries, bins]``, mean histograms.
    """
    from torch.nn.functional import linear

    values = linear(means, parameters["mlp.weight"], parameters["mlp.bias"])
    return linear(values.expand(-1, 3), parameters["layer_final.weight"], parameters["layer_final.bias"])


def _probabilities(parameters: dict[str, torch.Tensor], means: torch.Tensor) -> list[float]:
    """Return the probability that each summary is consistent."""
    probabilities: list[float] = _logits(parameters, means).softmax(-1)[:, 1].tolist()
    return probabilities


def _evidence(
    score: float,
    parameters: dict[str, torch.Tensor],
    example: Example,
    predictions: Judgements,
    histograms: torch.Tensor,
) -> EntailmentEvidence:
    """Return per hypothesis its score as a summary of its own, its histogram, and its best premise."""
    matrix = predictions.probabilities
    return EntailmentEvidence(
        score=score,
        hypotheses=tuple(
            EntailedHypothesis(
                hypothesis=hypothesis,
                sentence=sentence,
                score=of_hypothesis,
                histogram=tuple(int(count) for count in histogram),
                premises=with_probabilities(example.premises, matrix, column, best),
            )
            for column, (hypothesis, sentence, of_hypothesis, histogram, best) in enumerate(
                zip(
                    example.hypotheses.claims,
                    example.hypotheses.sentences,
                    _probabilities(parameters, histograms),
                    histograms,
                    best_premises(matrix),
                    strict=True,
                )
            )
        ),
    )


def _check_labels(labels: Sequence[int], rows: int) -> list[int]:
    check_lengths({"predictions": range(rows), "labels": labels})
    for row, label in enumerate(labels):
        if label not in (0, 1):
            raise ClaimwiseError(
                f"expected 1 (consistent) or 0 (inconsistent); got {label!r}.", column="labels", row=row
            )
    if len(set(labels)) < 2:
        raise ClaimwiseError(f"All labels are {labels[0]}.", "Fitting needs pairs of both kinds.")
    return [int(label) for label in labels]


@contextmanager
def _writing(output: Path) -> Iterator[None]:
    try:
        if output.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        yield
    except OSError as error:
        raise ClaimwiseError(
            f"cannot be written ({error.strerror or error}).",
            "Choose another place for the weights.",
            path=output,
        ) from error


def _read(weights: str, sha256: str | None) -> bytes:
    """Return the content of a file or URL, checked against its checksum."""
    is_url = weights.startswith(("https://", "http://"))
    if is_url and sha256 is None:
        raise ClaimwiseError(
            f"The weights {weights!r} are a URL.",
            "Pass the file's checksum as weights_sha256=.",
            option="weights_sha256",
        )
    try:
        if is_url:
            with urllib.request.urlopen(weights, timeout=TIMEOUT_SECONDS) as response:
                content: bytes = response.read()
        else:
            content = Path(weights).read_bytes()
    except (OSError, ValueError, HTTPException) as error:
        raise ClaimwiseError(
            f"The weights {weights!r} cannot be read ({error}).",
            "Check the address, or download the file and pass its path.",
            option="weights",
        ) from error
    if sha256 is not None and _sha256(content) != sha256.lower():
        raise ClaimwiseError(
            f"The weights {weights!r} are not the expected file (SHA-256 {_sha256(content)} instead of "
            f"{sha256}).",
            "Get the file again, or check weights_sha256.",
            option="weights",
        )
    return content


def _parse(content: bytes, weights: str) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors of a file by name, and what they were fitted with, where the file tells.

    The file is one of safetensors or PyTorch, or JSON like the default weights.
    """
    import torch
    from safetensors.torch import load

    try:
        if content[:1] == b"{" and content[8:9] != b"{":  # that would be safetensors
            read = json.loads(content)
            parameters = {name: torch.tensor(values) for name, values in read["parameters"].items()}
            return parameters, read["fitted_with"]
        if content[8:9] == b"{":  # safetensors: eight bytes of length, then a JSON header
            header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
            return load(content), json.loads(header.get("__metadata__", {}).get("fitted_with", "{}"))
        state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        return {name: tensor.float() for name, tensor in state.items()}, {}
    except Exception as error:  # whatever a file that is none of both can cause
        raise ClaimwiseError(
            f"The weights {weights!r} are neither a safetensors file nor a PyTorch file of plain tensors.",
            "Pass a file that SummacConv.fit wrote or that the authors of SummaC released.",
            option="weights",
        ) from error


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
