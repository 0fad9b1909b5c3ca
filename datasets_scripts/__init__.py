"""Dataset builders and cards, one folder each; shipped in the wheel for people without a clone."""
