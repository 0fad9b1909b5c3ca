"""Make the links of README.md absolute: the page on PyPI shows no file of the repository.

``python .github/absolute_links.py https://github.com/OWNER/NAME v1.2.3``, in the release workflow alone.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"(!?)\[((?:!\[[^\]]*\]|[^\[\]])*)\]\((?!https?:|mailto:|#)([^)\s]+)\)")


def absolute(text: str, repository: str, tag: str) -> str:
    """Return Markdown whose links to files of the repository go to ``repository`` at ``tag``."""

    def link(match: re.Match[str]) -> str:
        image, shown, path = match.groups()
        return f"{image}[{shown}]({repository}/{'raw' if image else 'blob'}/{tag}/{path})"

    return LINK.sub(link, text)


if __name__ == "__main__":
    readme = Path(__file__).parents[1] / "README.md"
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), *sys.argv[1:]), encoding="utf-8")
