"""Measurements of claimwise: speed, quality, and reruns of the papers' experiments.

Each is run from the repository root as a module, such as ``python -m benchmarks.speed.engine``.
"""
