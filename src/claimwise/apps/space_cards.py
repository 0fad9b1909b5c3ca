"""Front matter of the Space of the front page; a metric's Space takes it from the metric's card."""

from __future__ import annotations

FRONT = {
    "title": "claimwise",
    "emoji": "🏠",
    "colorFrom": "blue",
    "colorTo": "indigo",
    "short_description": "Contrast and support of summaries, claim by claim",
}
"""Front matter of the Space of the front page; its title is the name of its folder."""
