"""Adapters to other evaluation tools, each made from a metric's specification.

Nothing is imported here: each module needs the tool that it is named after, and a test run with only the
pytest plugin loads no model library.
"""
