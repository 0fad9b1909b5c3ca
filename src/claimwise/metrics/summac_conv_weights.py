"""Files of the weights of SummaC-Conv: read by path or URL, checked, and written."""

from __future__ import annotations

import hashlib
import json
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

import numpy as np

from claimwise.errors import ClaimwiseError, needs_extra
from claimwise.scores.histogram import Parameters, untrained

RELEASED_WEIGHTS = "https://github.com/tingofurro/summac/raw/master/summac_conv_vitc_sent_perc_e.bin"
CONVERSION = (
    'from safetensors.torch import save_file; save_file(torch.load("FILE.bin", weights_only=True), '
    '"FILE.safetensors").'
)
TIMEOUT_SECONDS = 30


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

    def check(self, path: str | Path, bins: int, fitted_with: Mapping[str, str]) -> None:
        """Reject weights for another number of bins, or fitted with other settings.

        Raises:
            ClaimwiseError: naming what they are for, and ``path``.
        """
        shapes, expected = (
            {name: values.shape for name, values in parameters.items()}
            for parameters in (self.parameters, untrained(bins))
        )
        if shapes != expected:
            raise ClaimwiseError(
                f"The weights {str(path)!r} contain {shapes}, but {bins} bins need {expected}.",
                "Pass the bins that the weights were fitted with, or other weights.",
                option="weights",
            )
        if self.fitted_with and self.fitted_with != fitted_with:
            raise ClaimwiseError(
                f"The weights {str(path)!r} were fitted with {self.fitted_with}, not {fitted_with}.",
                "Load the metric with the options of the fit, or fit it again.",
                option="weights",
            )


def read_weights(weights: str | Path, sha256: str | None = None) -> Weights:
    """Read weights from a file or URL.

    The file is safetensors, or JSON like the default weights; PyTorch files are pickles and are rejected.

    Args:
        weights: path or URL.
        sha256: checksum of the file, required for a URL.

    Raises:
        ClaimwiseError: for a file that cannot be read, is not the expected one, or is in another format.
    """
    return parsed_weights(_read(str(weights), sha256), str(weights))


def parsed_weights(content: bytes, name: str) -> Weights:
    """Return the weights in the content of a file called ``name``; see ``read_weights``."""
    parameters, fitted_with = _parse(content, name)
    return Weights(parameters, fitted_with, _sha256(content)[:12])


def weights_file(parameters: Parameters, fitted_with: Mapping[str, str]) -> bytes:
    """Return the content of a safetensors file of weights."""
    with needs_extra("torch", "A safetensors file"):
        from safetensors.numpy import save

    # One entry: safetensors writes several in random order, and equal fits should give equal files.
    content: bytes = save(dict(parameters), metadata={"fitted_with": json.dumps(fitted_with)})
    return content


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
    """Return the parameters in a file by name, and the settings of their fit, if the file contains them."""
    try:
        if content[8:9] == b"{":  # safetensors: eight bytes of length, then a JSON header
            header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
            with needs_extra("torch", "A safetensors file"):
                from safetensors.numpy import load
            return load(content), json.loads(header.get("__metadata__", {}).get("fitted_with", "{}"))
        read = json.loads(content)
        parameters = {name: np.array(values, np.float32) for name, values in read["parameters"].items()}
        return parameters, read["fitted_with"]
    except ClaimwiseError:
        raise
    except Exception as error:  # any failure of a file in neither format
        raise ClaimwiseError(
            f"The weights {weights!r} are neither a safetensors file nor JSON weights.",
            f"Pass a file that SummacConv.fit wrote, or convert the authors' PyTorch file once: {CONVERSION}",
            option="weights",
        ) from error


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
