"""Shortening of texts in messages."""

from claimwise.http.remote import shorten

__all__ = ["shorten"]
