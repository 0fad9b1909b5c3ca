"""The ``claimwise`` command, one module per group of commands."""

from __future__ import annotations

from claimwise.apps.cli.command import app, main

__all__ = ["app", "main"]
