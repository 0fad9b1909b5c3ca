"""The ``claimwise`` command, a module for each group of commands."""

from __future__ import annotations

from claimwise.apps.cli.command import app, main

__all__ = ["app", "main"]
