"""Front matter of the Space that summarizes, in a separate module so that it is read without Gradio."""

from __future__ import annotations

CARD = {
    "title": "Summarize reviews",
    "emoji": "📝",
    "colorFrom": "green",
    "colorTo": "blue",
    "short_description": "Reviews in, a summary and its citations out",
}
