"""Reruns of the papers' experiments on the original data, one module per experiment."""
