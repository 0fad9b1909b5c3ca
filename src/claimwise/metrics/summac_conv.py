"""SummaC-Conv: a learned score of a source's support for each sentence of a summary (Laban et al. 2022)."""

from __future__ import annotations

import hashlib
import json
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.support import EntailmentEvidence, SourcePremise, entailed
from claimwise.metrics.base import RowScore
from claimwise.metrics.citations import bibtex
from claimwise.metrics.readings import Claims, Reading
from claimwise.metrics.spec import JUDGED, NLI_MODEL, SOURCES, SUMMARIES, Choice, MetricSpec, Upload
from claimwise.metrics.steps import NLIMetric, NLIOptions, texts_of
from claimwise.nli.protocol import Example, Judge
from claimwise.options import option
from claimwise.scores.histogram import Parameters, bin_edges, consistency, entailment_histograms
from claimwise.scores.summac import best_premises
from claimwise.tables import placing
from claimwise.text.claims import Decomposer
from claimwise.text.inputs import check_lengths

RELEASED_WEIGHTS = "https://github.com/tingofurro/summac/raw/master/summac_conv_vitc_sent_perc_e.bin"
CONVERSION = (
    'from safetensors.torch import save_file; save_file(torch.load("FILE.bin", weights_only=True), '
    '"FILE.safetensors").'
)
# The parts of a source and a summary that the released code reads.
FIRST_PREMISES, FIRST_HYPOTHESES = 100, 10
# The authors' training: Adam with this learning rate and batch size.
LEARNING_RATE, BATCH_SIZE = 0.01, 32
TIMEOUT_SECONDS = 30
DEFAULT_WEIGHTS = Path(__file__).parent / "summac_conv.json"


@dataclass(frozen=True, kw_only=True)
class SummacConvOptions(NLIOptions):
    """Options of SummaC-Conv."""

    weights: str | Path | None = option(
        None,
        "path or URL of a safetensors file: from `SummacConv.fit`, or the authors' file after conversion; "
        "None = the included weights, for the embedded model",
    )
    weights_sha256: str | None = option(None, "SHA-256 of the weights, required for a URL")
    bins: str = option(
        "percentile",
        '`"percentile"` (as in the released weights) or `"even<number>"`, such as `"even50"`',
    )
    first_sentences_only: bool = option(
        False,
        "bool; True = read only the first 100 sentences of a source and the first ten of a summary, as the "
        "released code does; omitted sentences are counted",
    )
    decomposer: str | Decomposer = option(
        "sentences",
        '`"sentences"` (each sentence is one claim), `"default"` (the claim writer, a small network), '
        '`"openai:MODEL"` (a chat model), the name of a registered decomposer, an `LLMDecomposer`, any '
        "`Decomposer`, or a function",
    )


class Weights(NamedTuple):
    """The parameters of SummaC-Conv by their names in the file, and the first digits of its SHA-256."""

    parameters: Parameters
    fingerprint: str


class SummacConv(NLIMetric):
    """SummaC-Conv (Laban et al. 2022): the probability that a summary is consistent with its source.

    In [0, 1]. The included weights are for the embedded model, fitted on summaries made from OpinionNLI;
    alternatives are the authors' released file, or a file that ``fit`` wrote.
    """

    counts_contradictions = False  # only entailment counts
    _fitted: Weights | None = None
    Options = SummacConvOptions
    spec = MetricSpec(
        name="summac_conv",
        title="SummaC-Conv",
        family="factuality",
        question="does the source support each sentence (score learned from labelled pairs)?",
        description=(
            "SummaC-Conv measures how consistent a summary is with its source. An NLI model compares "
            "every sentence of the summary with every sentence of the source; a histogram for each summary "
            "sentence counts the source sentences by their probability of entailment; and a one-dimensional "
            "convolution over the histograms, fitted to labelled pairs, gives the probability that the "
            "summary is consistent."
        ),
        bounds=(0, 1),
        quality="fully supported",
        ends=("not supported", "fully supported"),
        better="higher",
        columns=(SUMMARIES.or_claims, SOURCES),
        counts=JUDGED | {"left_out": "sentences that `first_sentences_only` left out"},
        configurations={
            "default": {},
            "summac": {"nli_model": "vitc", "first_sentences_only": True},
        },
        choices=(
            NLI_MODEL,
            Choice(
                title="Claims",
                values={
                    "sentences: each is one claim": {},
                    "default: a network writes them": {"decomposer": "default"},
                },
            ),
        ),
        upload=Upload(
            option="weights",
            title="Weights",
            suffixes=(".safetensors", ".json"),
            meaning=(
                "The included weights are for the embedded NLI model. For another model, or another kind of "
                "text, upload a file: **your own**, from "
                '`SummacConv().fit(predictions=…, references=…, labels=…, output="weights.safetensors")` on '
                "hundreds of summaries labelled 1 (consistent with the source) or 0 (not), with the NLI "
                "model chosen here; or **the authors’**, converted as the card describes, with *vitc*."
            ),
        ),
        beside={"support_counts": {"decomposer": "sentences"}},
        source="Laban et al. 2022",
        citation=bibtex("laban2022summac"),
        urls=("https://github.com/tingofurro/summac",),
    )

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        self._edges = bin_edges(self.options.bins)

    def load(self) -> None:
        """Load the weights, the splitter, the decomposer and the judge.

        Raises:
            ClaimwiseError: if there are no weights for these options, or they do not match; the message says
                how to get or fit weights.
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
        """Fit the weights to labelled pairs, write them, and use them from now on.

        The training follows Laban et al.: cross-entropy, Adam at 0.01, random batches of 32 pairs.

        Args:
            predictions: summaries.
            references: their sources.
            labels: 1 for a summary that is consistent with its source, 0 for one that is not.
            output: the safetensors file to write.
            steps: number of training batches.
            seed: random seed of the batches.

        Returns:
            The final cross-entropy over all pairs; guessing gives 0.69.

        Raises:
            ClaimwiseError: for pairs that cannot be scored, labels other than 0 and 1 or all equal, or a file
                that cannot be written.
        """
        import torch
        from safetensors.numpy import save
        from torch.nn.functional import cross_entropy, linear

        rows = self.rows({"predictions": predictions, "references": references})
        check_lengths({"predictions": predictions, "labels": labels})
        for row, label in enumerate(labels):
            if label not in (0, 1):
                problem = f"expected 1 (consistent) or 0 (inconsistent); got {label!r}."
                raise ClaimwiseError(problem, column="labels", row=row)
        if len(set(labels)) < 2:
            raise ClaimwiseError(f"All labels are {labels[0]}.", "Fitting needs both labels.")
        targets = torch.tensor(list(map(int, labels)))
        with placing(Path(output)) as part:  # an error before any work
            matrices = [matrix for reading in self.read(rows) for matrix in reading.matrices]
            means = np.stack([entailment_histograms(of_row, self._edges).mean(axis=0) for of_row in matrices])
            histograms = torch.tensor(means, dtype=torch.float32)
            parameters = {
                name: torch.tensor(values).requires_grad_() for name, values in self._untrained().items()
            }
            kernel, bias, last, last_bias = parameters.values()
            optimizer = torch.optim.Adam(list(parameters.values()), lr=LEARNING_RATE)
            generator = torch.Generator().manual_seed(seed)
            for _ in range(steps):
                batch = torch.randint(len(targets), (BATCH_SIZE,), generator=generator)
                values = linear(histograms[batch], kernel, bias).expand(-1, 3)
                optimizer.zero_grad()
                cross_entropy(linear(values, last, last_bias), targets[batch]).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
            fitted = {name: tensor.detach().numpy() for name, tensor in parameters.items()}
            # One entry: safetensors writes several in random order, and equal fits should give equal files.
            content = save(fitted, metadata={"fitted_with": json.dumps(self._fitted_with())})
            part.write_bytes(content)
        self._fitted = Weights(fitted, _sha256(content)[:12])
        found = consistency(means, fitted)
        return float(-np.log(np.where(targets.numpy() == 1, found, 1 - found)).mean())

    def counting(self, judge: Judge, decomposer: Decomposer) -> Self:
        """Return a metric for cost estimates; its untrained weights suit any judge."""
        other = super().counting(judge, decomposer)
        other._fitted = Weights(self._untrained(), "untrained")
        return other

    def examples(self, reading: Reading) -> list[Example]:
        """Return the sentences of source and summary that are read."""
        premises, hypotheses = self._read_of(reading)
        return [(texts_of(premises), hypotheses.claims)]

    def score_row(self, reading: Reading, details: bool) -> RowScore:
        """Return the score of a summary; with ``details`` also the histograms of its hypotheses."""
        parameters, (matrix,) = self._weights.parameters, reading.matrices
        premises, hypotheses = self._read_of(reading)
        histograms = entailment_histograms(matrix, self._edges)
        score = float(consistency(histograms.mean(axis=0), parameters))
        evidence = None
        if details:  # the score of each hypothesis as a one-sentence summary
            evidence = EntailmentEvidence(
                score=score,
                hypotheses=entailed(
                    hypotheses.claims,
                    hypotheses.sentences,
                    consistency(histograms, parameters).tolist(),
                    premises,
                    matrix,
                    best_premises(matrix),
                    histograms=histograms,
                ),
            )
        all_of_it = len(reading.premises) + len(reading.claims[0].claims)
        left_out = all_of_it - len(premises) - len(hypotheses.claims)
        return RowScore(score=score, counts={"left_out": left_out}, evidence=evidence)

    def _read_of(self, reading: Reading) -> tuple[Sequence[SourcePremise], Claims]:
        """Return the premises and the hypotheses of a row that are read."""
        (claims,) = reading.claims
        if not self.options.first_sentences_only:
            return reading.premises, claims
        first = range(min(FIRST_HYPOTHESES, len(claims.claims)))
        return reading.premises[:FIRST_PREMISES], claims.at(first)

    def _untrained(self) -> Parameters:
        """Return the initial parameters of fitting."""
        parameters = {name: np.zeros(shape, np.float32) for name, shape in self._shapes().items()}
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
        found = {name: values.shape for name, values in parameters.items()}
        if found != self._shapes():
            raise ClaimwiseError(
                f"The weights {str(weights)!r} contain {found}, but bins={self.options.bins!r} needs "
                f"{self._shapes()}.",
                "Pass the bins that the weights were fitted with, or other weights.",
                option="weights",
            )
        if fitted_with and fitted_with != self._fitted_with():
            raise ClaimwiseError(
                f"The weights {str(weights)!r} were fitted with {fitted_with}, not {self._fitted_with()}.",
                "Load the metric with the options of the fit, or fit it again.",
                option="weights",
            )
        return Weights(parameters, _sha256(content)[:12])

    def _default_weights(self) -> Path:
        """Return the file of the included weights, if they are for these options.

        Raises:
            ClaimwiseError: for another judge or other bins, which need their own weights.
        """
        judge, bins = self.options.nli_model, self.options.bins
        fitted_with = json.loads(DEFAULT_WEIGHTS.read_bytes())["fitted_with"]
        is_another = isinstance(judge, str) and judge != "default" and not Path(judge).is_dir()
        if is_another or bins != fitted_with["bins"] or fitted_with != self._fitted_with():
            raise ClaimwiseError(
                f"summac_conv has no weights for nli_model={judge!r} with bins={bins!r}; the included "
                f"weights are for the embedded model, with bins={fitted_with['bins']!r}.",
                f"Pass weights=: a file that SummacConv.fit wrote from labelled pairs, or the authors' file "
                f"({RELEASED_WEIGHTS}), converted to safetensors, together with the configuration 'summac' "
                f"(which uses the NLI model that these weights were trained with).",
                option="weights",
            )
        return DEFAULT_WEIGHTS

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the parameters by their names in the released file."""
        return {
            "mlp.weight": (1, len(self._edges) - 1),
            "mlp.bias": (1,),
            "layer_final.weight": (2, 3),
            "layer_final.bias": (2,),
        }

    def _fitted_with(self) -> dict[str, str]:
        """Return the other settings that the parameters depend on."""
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


def _read(weights: str, sha256: str | None) -> bytes:
    """Return the content of a file or URL, checked against its checksum."""
    is_url = weights.startswith(("https://", "http://"))
    if is_url and sha256 is None:
        raise ClaimwiseError(
            f"The weights {weights!r} are a URL, but weights_sha256 is missing.",
            "Pass the SHA-256 checksum of the file as weights_sha256=.",
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
            "Download the file again, or check weights_sha256.",
            option="weights",
        )
    return content


def _parse(content: bytes, weights: str) -> tuple[Parameters, dict[str, str]]:
    """Return the parameters in a file by name, and the settings of their fit, if the file contains them.

    The file is safetensors, or JSON like the default weights; PyTorch files are pickles and are rejected.
    """
    from safetensors.numpy import load

    try:
        if content[8:9] == b"{":  # safetensors: eight bytes of length, then a JSON header
            header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
            return load(content), json.loads(header.get("__metadata__", {}).get("fitted_with", "{}"))
        read = json.loads(content)
        parameters = {name: np.array(values, np.float32) for name, values in read["parameters"].items()}
        return parameters, read["fitted_with"]
    except Exception as error:  # any failure of a file in neither format
        raise ClaimwiseError(
            f"The weights {weights!r} are neither a safetensors file nor JSON weights.",
            f"Pass a file that SummacConv.fit wrote, or convert the authors' PyTorch file once: {CONVERSION}",
            option="weights",
        ) from error


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
