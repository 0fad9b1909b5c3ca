"""Scores: arrays and tokens in, dataclasses out. Pure functions, readable beside the papers."""
