"""``python -m claimwise``: the ``claimwise`` command."""

from __future__ import annotations

from claimwise.apps.cli import main

if __name__ == "__main__":
    main()
