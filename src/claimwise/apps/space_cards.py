"""Front matter of the Spaces that belong to no metric; a metric's Space takes it from the metric's card."""

from __future__ import annotations

FRONT = {
    "title": "claimwise",
    "emoji": "🏠",
    "colorFrom": "blue",
    "colorTo": "indigo",
    "short_description": "Contrast and support of summaries, claim by claim",
}
"""Front matter of the Space of the front page; its title is the name of its folder."""

PAGES = {
    FRONT["title"]: FRONT,
    "summarize": {
        "title": "Summarize reviews",
        "emoji": "📝",
        "colorFrom": "green",
        "colorTo": "blue",
        "short_description": "Reviews in, a summary and its citations out",
    },
}
"""The Spaces that belong to no metric, by the names of their folders."""
