"""The default decomposer."""
