"""The metrics under the name that version 0.1 had for ``claimwise.metrics``."""

from claimwise.metrics import *  # noqa: F403
