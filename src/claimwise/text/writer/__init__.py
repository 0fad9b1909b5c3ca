"""The claim writer: a small network reads a sentence and writes its claims (the decomposer ``default``).

    words.py          conversion of sentences to words and back
    batch.py          sentences as tensors
    network.py        a decoder that copies spans of the sentence or takes a word of a small vocabulary (a
                      pointer network: Vinyals et al. 2015, See et al. 2017)
    beams.py          the search for the likeliest claims
    critic.py         whether a claim is grammatical and follows from its sentence
    denials.py        whether a claim loses or adds a negation
    decomposer.py     the choice of sentences to read and of claims to accept

``weights/`` contains the network without its word embeddings, which it shares with the embedded judge.
"""

from claimwise.text.writer.decomposer import ClaimWriter

__all__ = ["ClaimWriter"]
