"""Rerunning the experiments of the papers on the real data, one file each."""

from __future__ import annotations

from claimwise.reproduce.aggrefact import aggrefact_table, reproduce_aggrefact
from claimwise.reproduce.cocotrip import cocotrip_table, reproduce_cocotrip
from claimwise.reproduce.factuality import factuality_table, reproduce_factuality
from claimwise.reproduce.opinion_summaries import reproduce_opinion_summaries
from claimwise.reproduce.pyramid import pyramid_table, reproduce_pyramid

__all__ = [
    "aggrefact_table",
    "cocotrip_table",
    "factuality_table",
    "pyramid_table",
    "reproduce_aggrefact",
    "reproduce_cocotrip",
    "reproduce_factuality",
    "reproduce_opinion_summaries",
    "reproduce_pyramid",
]
