"""Adapters to the tools in which people already score; each is made from a metric's specification.

Nothing is imported here: each module needs the tool that it is named after, and a test run of somebody who
only has the pytest plugin installed loads no model library.
"""
