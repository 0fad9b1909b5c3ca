"""Files of the weights of SummaC-Conv: read by path or URL, checked, and written."""

from __future__ import annotations

import hashlib
import json
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from claimwise.errors import ClaimwiseError, needs_extra
from claimwise.judges.protocol import Judge
from claimwise.metrics.spec import Upload
from claimwise.scores.histogram import Parameters, bin_edges, untrained
from claimwise.text.inputs import check_lengths

DEFAULT_WEIGHTS = Path(__file__).parent / "summac_conv.json"
RELEASED_WEIGHTS = "https://github.com/tingofurro/summac/raw/master/summac_conv_vitc_sent_perc_e.bin"
CONVERSION = (
    'from safetensors.torch import save_file; save_file(torch.load("FILE.bin", weights_only=True), '
    '"FILE.safetensors").'
)
TIMEOUT_SECONDS = 30
UPLOAD = Upload(
    option="weights",
    title="Weights",
    suffixes=(".safetensors", ".json"),
    meaning=(
        "The included weights are for the embedded judge. For another judge, upload a file that "
        "`SummacConv().fit` wrote, or the authors’, converted as the card describes, for *vitc*."
    ),
)


class Weights(NamedTuple):
    """The parameters of SummaC-Conv by their names in the file.

    Attributes:
        parameters: see ``claimwise.scores.histogram``.
        fitted_with: settings of the fit that a metric must share; empty if the file does not contain them.
        fingerprint: the first digits of the file's SHA-256.
    """

    parameters: Parameters
    fitted_with: Mapping[str, str]
    fingerprint: str

    def check(self, path: str | Path, bins: int, settings: Mapping[str, str]) -> None:
        """Reject weights for another number of bins, or fitted with other settings.

        Raises:
            ClaimwiseError: naming what they are for, and ``path``.
        """
        shapes, expected = (
            {name: values.shape for name, values in parameters.items()}
            for parameters in (self.parameters, untrained(bins))
        )
        if shapes != expected:
            raise _invalid(
                f"The weights in {path} have the shapes {_listed(shapes)}; {bins} bins need "
                f"{_listed(expected)}.",
                "Pass the bins that the weights were fitted with, or other weights.",
            )
        if self.fitted_with and self.fitted_with != settings:
            raise _invalid(
                f"The weights in {path} were fitted with {_listed(self.fitted_with)}, not with "
                f"{_listed(settings)}.",
                "Load the metric with the options of the fit, or fit it again.",
            )


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(f"`{name}` {value}" for name, value in values.items())


def _invalid(problem: str, remedy: str) -> ClaimwiseError:
    return ClaimwiseError(problem, remedy, option="weights")


def settings_of_fit(options: Any, judge: Judge) -> dict[str, str]:
    """Return the settings that the parameters depend on: the bins and the judge."""
    fingerprint = judge.signature.get("judge_fingerprint", judge.fingerprint)
    return {"bins": options.bins, "judge_fingerprint": fingerprint}


def check_labels(predictions: Sequence[str], labels: Sequence[int]) -> None:
    """Reject labels other than 0 and 1, naming the row, labels that are all equal, and too few or too many.

    Raises:
        ClaimwiseError: for such labels.
    """
    check_lengths({"predictions": predictions, "labels": labels})
    for row, label in enumerate(labels):
        if label not in (0, 1):
            problem = f"expected 1 (consistent) or 0 (inconsistent); got {label!r}."
            raise ClaimwiseError(problem, column="labels", row=row)
    if len(set(labels)) < 2:
        raise ClaimwiseError(f"All labels are {labels[0]}.", "Fitting needs both labels.")


def chosen_weights(options: Any, judge: Callable[[], Judge]) -> Weights:
    """Return the weights that the options choose, or the included ones; ``judge`` loads the judge.

    Raises:
        ClaimwiseError: for weights that cannot be read, or do not match the settings.
    """
    if (path := options.weights) is not None:
        weights = parsed_weights(_content(str(path), options.weights_sha256), str(path))
        weights.check(path, len(bin_edges(options.bins)) - 1, settings_of_fit(options, judge()))
        return weights
    weights, name = parsed_weights(DEFAULT_WEIGHTS.read_bytes(), str(DEFAULT_WEIGHTS)), options.judge
    # Another judge is refused before it is downloaded.
    is_another = isinstance(name, str) and name != "default" and not Path(name).is_dir()
    if is_another or weights.fitted_with != settings_of_fit(options, judge()):
        chosen = f"the judge `{name}`" if isinstance(name, str) else "this judge"
        raise _invalid(
            f"The included weights are for the judge `default` and bins `{weights.fitted_with['bins']}`, not "
            f"for {chosen} and bins `{options.bins}`.",
            "Pass weights=, a file that SummacConv.fit wrote. The authors' weights are for the configuration "
            f"'summac': {RELEASED_WEIGHTS}, converted to safetensors.",
        )
    return weights


def parsed_weights(content: bytes, name: str) -> Weights:
    """Return the weights in the content of a file called ``name``.

    The file is safetensors, or JSON like the default weights; PyTorch files are pickles and are rejected.

    Raises:
        ClaimwiseError: for another format.
    """
    try:
        if content[8:9] == b"{":  # safetensors: eight bytes of length, then a JSON header
            header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
            with needs_extra("torch", "A safetensors file"):
                from safetensors.numpy import load
            parameters = load(content)
            fitted_with = json.loads(header.get("__metadata__", {}).get("fitted_with", "{}"))
        else:
            read = json.loads(content)
            fitted_with = read["fitted_with"]
            parameters = {key: np.array(values, np.float32) for key, values in read["parameters"].items()}
    except ClaimwiseError:
        raise
    except Exception as error:  # any failure of a file in neither format
        raise _invalid(
            f"The weights {name} are neither a safetensors file nor JSON weights.",
            f"Pass a file that SummacConv.fit wrote, or convert the authors' PyTorch file once: {CONVERSION}",
        ) from error
    return Weights(parameters, fitted_with, _sha256(content)[:12])


def weights_file(parameters: Parameters, fitted_with: Mapping[str, str]) -> bytes:
    """Return the content of a safetensors file of weights."""
    with needs_extra("torch", "A safetensors file"):
        from safetensors.numpy import save

    # One entry: safetensors writes several in random order, and equal fits should give equal files.
    content: bytes = save(dict(parameters), metadata={"fitted_with": json.dumps(fitted_with)})
    return content


def _content(weights: str, sha256: str | None) -> bytes:
    """Return the content of a file or URL, checked against its checksum, which a URL needs."""
    is_url = weights.startswith(("https://", "http://"))
    if is_url and sha256 is None:
        raise ClaimwiseError(
            f"The weights {weights} are a URL, but `weights_sha256` is missing.",
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
        raise _invalid(
            f"The weights {weights} cannot be read ({error}).",
            "Check the address, or download the file and pass its path.",
        ) from error
    if sha256 is not None and _sha256(content) != sha256.lower():
        raise _invalid(
            f"The weights {weights} are not the expected file (SHA-256 {_sha256(content)} instead of "
            f"{sha256}).",
            "Download the file again, or check weights_sha256.",
        )
    return content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
