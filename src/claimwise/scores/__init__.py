"""Formulas of the scores: pure functions from arrays and tokens, in the notation of the papers."""
