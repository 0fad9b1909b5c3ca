"""The claim writer: a small network reads a sentence and writes its claims (the decomposer ``default``).

    words.py          conversion of sentences to words and back
    network.py        an encoder, a decoder that copies spans of the sentence or takes a word of a small
                      vocabulary (a pointer network: Vinyals et al. 2015, See et al. 2017), and a critic
    beams.py          the search for the likeliest claims
    fragments.py      sentences that the network misreads
    attributions.py   claims without who holds the opinion
    denials.py        whether a claim loses or adds a negation
    scopes.py         whether a claim loses a condition, wish or doubt
    decomposer.py     the choice of sentences to read and of claims to accept

``weights/`` contains the network without its word embeddings, which it shares with the embedded judge.
"""

from claimwise.text.writer.decomposer import ClaimWriter

__all__ = ["ClaimWriter"]
