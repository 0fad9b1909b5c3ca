"""A hook of mkdocs: pages of the site that live elsewhere in the repository, so that each has one source.

The metric cards, data set cards, the model card and the measurements become pages. Links are written for
a reader of the repository; here they lead to the page that shows the file, or see ``links.py``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from links import linked
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
FENCE = re.compile(
    r"^( *)```(python|console|json|sh)(?: no-run| needs-\w+)?\n((?: *# .*\n)* *>>> )?", re.MULTILINE
)


def sources() -> dict[str, str]:
    """Return the files that are shown: page of the site → path in the repository."""
    pages = {
        "model/card.md": "src/claimwise/judges/weights/README.md",
        "model/training.md": "training/judge/README.md",
        "model/experiments.md": "training/judge/EXPERIMENTS.md",
        "metrics/index.md": "metrics/README.md",
        "packages/summarize.md": "packages/claimwise-summarize/README.md",
        "project/extend.md": "examples/claimwise-words/README.md",
        "contributing.md": "CONTRIBUTING.md",
        "project/hub.md": "tools/README.md",
        "project/guarantees.md": "tests/reliability/README.md",
    }
    for folder, pattern in (("metrics", "metrics/*/README.md"), ("data", "datasets_scripts/*/README.md")):
        for card in sorted(ROOT.glob(pattern)):
            pages[f"{folder}/{card.parent.name}.md"] = card.relative_to(ROOT).as_posix()
    for report in sorted((ROOT / "benchmarks").glob("*/*.md")):
        pages[f"measured/{report.name}"] = report.relative_to(ROOT).as_posix()
    return pages


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List all metrics and measurements in the navigation, where mkdocs.yml names their folders."""
    for entry in _entries(config.nav or []):
        if entry == {"Metrics": "metrics"}:
            entry["Metrics"] = [page for page in sources() if page.startswith("metrics/")]
        if entry == {"Measured": "measured"}:
            pages = [page for page in sources() if page.startswith("measured/")]
            entry["Measured"] = [{Path(page).stem.capitalize(): page} for page in pages]
    return config


def _entries(nav: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the entries of the navigation, of all levels."""
    for entry in nav:
        if isinstance(entry, dict):
            yield entry
            for below in entry.values():
                yield from _entries(below if isinstance(below, list) else [])


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that live elsewhere."""
    for page, source in sources().items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    for plot in sorted((ROOT / "benchmarks").glob("*/*.png")):
        files.append(File.generated(config, f"measured/{plot.name}", abs_src_path=str(plot)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links and the fences of one page into those of the site."""
    place = page.file.src_uri
    pages = {f"docs/{file.src_uri}": file.src_uri for file in files if file.src_uri not in sources()}
    pages |= {path: name for name, path in sources().items()}
    shown = {path: posixpath.relpath(name, posixpath.dirname(place) or ".") for path, name in pages.items()}

    def fenced(match: re.Match[str]) -> str:
        language = "pycon" if match[2] == "python" and match[3] else match[2]
        return f"{match[1]}```{language}\n{match[3] or ''}"

    return FENCE.sub(fenced, linked(markdown, sources().get(place, f"docs/{place}"), shown, ROOT))
