"""The claim writer: a small network reads a sentence and writes its claims (the decomposer ``default``).

    words.py          a sentence as words; words as a sentence again
    batch.py          sentences as tensors
    network.py        a decoder that copies spans of the sentence or takes a word of a small vocabulary (a
                      pointer network: Vinyals et al. 2015, See et al. 2017)
    beams.py          the likeliest claims
    critic.py         is a claim grammatical, and does the sentence say it?
    denials.py        no denial is lost, and none is made
    decomposer.py     which sentences the network reads, and which of its claims are taken

``weights/`` holds the network except its word embeddings, which are those of the embedded judge.
"""

from claimwise.text.writer.decomposer import ClaimWriter

__all__ = ["ClaimWriter"]
