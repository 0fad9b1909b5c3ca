"""A judge behind a server: POST /judge takes pairs, and returns its model and their probabilities."""

import httpx
import numpy as np

from claimwise import ClaimwiseError
from claimwise.judges import Judgements
from claimwise.judges.crossing import gather

PAIRS_A_REQUEST = 32


class ServerJudge:
    """Asks the server at an address: ``judge="words-server:http://host:8080"``."""

    tolerance = 0.005  # the server rounds, so three probabilities may not sum to 1

    def __init__(self, address, api_key=None):
        self._url = f"{address}/judge"
        self._headers = (
            {"Authorization": f"Bearer {api_key}"} if api_key else {}
        )  # the key never appears in a signature or an error
        self.fingerprint = f"words-server-{self._ask([])['model']}"  # changes with the model
        self.signature = {"judge": self.fingerprint}

    def predict_pairs(self, pairs):
        """Return the predictions of pairs, each distinct pair asked once."""
        return gather(self, pairs)

    def predict_batches(self, pairs):
        """Yield the rows and the predictions of each request; a score cache stores each batch immediately."""
        for start in range(0, len(pairs), PAIRS_A_REQUEST):
            rows = np.arange(start, min(start + PAIRS_A_REQUEST, len(pairs)))
            answer = self._ask(list(pairs.at(rows)))
            if f"words-server-{answer['model']}" != self.fingerprint:
                raise ClaimwiseError("The server now runs a different model.", "Start the run again.")
            yield (
                rows,
                Judgements(np.array(answer["probabilities"], np.float32), np.array(answer["truncated"])),
            )

    def _ask(self, pairs):
        try:
            response = httpx.post(self._url, json={"pairs": pairs}, headers=self._headers, timeout=60)
            return response.raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise ClaimwiseError(f"The server cannot be reached ({error}).", "Check that it runs.") from error
