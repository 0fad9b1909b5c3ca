"""The metrics under the name that version 0.1 had for ``claimwise.metrics``; deprecated."""

import warnings

from claimwise.metrics import *  # noqa: F403

warnings.warn("claimwise.pipeline is now claimwise.metrics.", DeprecationWarning, stacklevel=2)
