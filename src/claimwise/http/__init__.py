"""Requests to servers: addresses and keys, retries, limits, and one stop for all requests of a run."""
