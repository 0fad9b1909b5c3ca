"""The `evaluate` modules, one folder each; shipped in the wheel so that installing them needs no clone."""
