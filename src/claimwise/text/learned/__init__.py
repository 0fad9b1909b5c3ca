"""The decomposer ``learned``: a small network writes the claims of a sentence, word by word.

    words.py          a sentence as words; words as a sentence again
    network.py        an encoder like the judge's, and a decoder whose every word is one of the sentence or
                      of a small vocabulary (a pointer network: Vinyals et al. 2015, See et al. 2017)
    decomposer.py     which sentences it is asked about, and which of its answers are taken

It was trained on OpinionClaims (``training/claims`` at commit be82eac). ``weights/`` holds all of it but the
word embeddings, which are those of the embedded judge.
"""

from claimwise.text.learned.decomposer import LearnedDecomposer

__all__ = ["LearnedDecomposer"]
