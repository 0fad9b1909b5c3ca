"""A judge behind a server: POST /judge takes pairs, and returns its model and their probabilities."""

import httpx
import numpy as np

from claimwise import ClaimwiseError
from claimwise.nli import Judgements
from claimwise.nli.crossing import gather

PAIRS_A_REQUEST = 32


class ServerJudge:
    """Asks the server at an address: ``nli_model="words-server:http://host:8080"``."""

    tolerance = 0.005  # it rounds, so that three probabilities may sum to less than 1

    def __init__(self, address, api_key=None):
        self._url = f"{address}/judge"
        self._headers = (
            {"Authorization": f"Bearer {api_key}"} if api_key else {}
        )  # in no signature, in no error
        self.fingerprint = f"words-server-{self._ask([])['model']}"  # another model, other probabilities
        self.signature = {"nli_model": self.fingerprint}

    def predict_pairs(self, pairs):
        """Return the predictions of pairs, each distinct pair asked once."""
        return gather(self, pairs)

    def predict_batches(self, pairs):
        """Yield the rows and the predictions of each request; a score cache keeps them at once."""
        for start in range(0, len(pairs), PAIRS_A_REQUEST):
            rows = np.arange(start, min(start + PAIRS_A_REQUEST, len(pairs)))
            answer = self._ask(list(pairs.at(rows)))
            if f"words-server-{answer['model']}" != self.fingerprint:
                raise ClaimwiseError("The server has another model now.", "Start the run again.")
            yield (
                rows,
                Judgements(np.array(answer["probabilities"], np.float32), np.array(answer["truncated"])),
            )

    def _ask(self, pairs):
        try:
            response = httpx.post(self._url, json={"pairs": pairs}, headers=self._headers, timeout=60)
            return response.raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise ClaimwiseError(f"The server cannot be asked ({error}).", "Check that it runs.") from error
