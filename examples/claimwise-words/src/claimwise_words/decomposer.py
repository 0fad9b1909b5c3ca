"""A decomposer that splits sentences into claims at semicolons."""

from claimwise.text.claims import BaseDecomposer, Decomposed


class Semicolons(BaseDecomposer):
    """Splits a sentence at its semicolons."""

    def __init__(self):
        self.signature = {"decomposer": "semicolons", "semicolons": "1"}  # whatever changes the claims

    def decompose(self, sentences):
        """Return the claims of each sentence."""
        return [
            Decomposed([part.strip() for part in sentence.split(";") if part.strip()])
            for sentence in sentences
        ]
