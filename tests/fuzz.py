"""Any texts: any characters, and the words at which decomposers take sentences apart, in any order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import strategies as st

VOCABULARY = re.split(
    " ",
    "the a and but , ; or nor not no neither both rooms were clean guests said that which with "
    'making it they pool has if than as well very friendly staff found loved ( ) " between from to '
    "noting saying being so while because although of in however such including only 10 1 — 😀 שלום "
    "I'm it's was is also even",
)


def texts(words: Sequence[str]) -> st.SearchStrategy[str]:
    """Return a strategy of texts, half of them made of ``words``."""
    return st.one_of(
        st.text(max_size=80),
        st.lists(st.sampled_from(list(words)), max_size=40).map(" ".join),
    )
