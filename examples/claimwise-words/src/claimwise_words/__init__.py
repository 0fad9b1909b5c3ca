"""Metrics, judges and a decomposer for claimwise that look at words alone."""
