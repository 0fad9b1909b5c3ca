"""The claim writer, the decomposer ``default``: a small network writes the claims of a sentence.

    words.py          a sentence as words; words as a sentence again
    batch.py          sentences as tensors
    decoder.py        what the network chooses: spans of the sentence, words and endings of a small vocabulary
                      (a pointer network: Vinyals et al. 2015, See et al. 2017)
    beams.py          the search for the likeliest choices
    critic.py         whether a claim is a sentence, and said; only if the weights hold one
    network.py        all of it with the encoder, loaded from a folder
    denials.py        whether a claim loses a denial of its sentence, or makes one
    decomposer.py     which sentences the network is asked about, and which of its claims are taken

It is trained in ``training/writer``. ``weights/`` holds everything but the word embeddings, which are shared
with the embedded judge.
"""

from claimwise.text.writer.decomposer import ClaimWriter

__all__ = ["ClaimWriter"]
