"""Comparing the results of several systems, as tests, pages and tables."""
