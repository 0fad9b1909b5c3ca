"""Draw what the command line prints, as docs/screenshots/terminal.svg: ``python tools/terminal.py``.

The commands run in a terminal of their own, and their output is drawn as it is, colours included. A test
runs them too, and compares.
"""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parents[1] / "docs" / "screenshots" / "terminal.svg"
WIDTH = 112
COMMANDS = (
    'claimwise explain caspr "The rooms are quiet, but breakfast was cold." '
    '"Rooms are loud. Breakfast was cold. The pool is heated."',
    "claimwise list metrics",
)


def recorded() -> str:
    """Return the picture, SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "green"), (command, "bold")))
            console.print(Text.from_ansi(_output(command, folder)))
    drawn = console.export_svg(title="claimwise")
    return re.sub(r"@font-face \{.*?\}\n", "", drawn, flags=re.DOTALL)  # which asks another server


def _output(command: str, folder: str) -> str:
    """Return what a command prints in a terminal, with its escape sequences."""
    ours, theirs = pty.openpty()
    program, *arguments = shlex.split(command)
    environment = os.environ | {"COLUMNS": str(WIDTH), "TERM": "xterm-256color", "HF_HUB_OFFLINE": "1"}
    process = subprocess.Popen(
        [Path(sys.executable).with_name(program), *arguments],
        cwd=folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    printed = b""
    try:
        while read := os.read(ours, 65_536):
            printed += read
    except OSError:  # how the end of a terminal is told on Linux
        pass
    os.close(ours)
    text = printed.decode().replace("\r\n", "\n")
    if process.wait():
        raise SystemExit(f"{command}\n{text}")
    return text


if __name__ == "__main__":
    PICTURE.write_text(recorded(), encoding="utf-8")
