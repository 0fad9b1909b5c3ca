"""Rerunning the experiments of the papers on the real data, one file each."""

from __future__ import annotations

from claimwise.reproduce.aggrefact import reproduce_aggrefact
from claimwise.reproduce.cocotrip import reproduce_cocotrip
from claimwise.reproduce.factuality import reproduce_factuality
from claimwise.reproduce.opinion_summaries import reproduce_opinion_summaries
from claimwise.reproduce.pyramid import reproduce_pyramid

__all__ = [
    "reproduce_aggrefact",
    "reproduce_cocotrip",
    "reproduce_factuality",
    "reproduce_opinion_summaries",
    "reproduce_pyramid",
]
