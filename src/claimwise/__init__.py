"""claimwise: contrast and factuality metrics for opinion summaries, with evidence."""

__version__ = "0.1.0"
