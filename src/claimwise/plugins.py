"""What other packages add to claimwise, by entry points: decomposers, judges and metrics.

A package adds a decomposer ``mine`` with these lines in its ``pyproject.toml``, and claimwise adds its own
in the same way::

    [project.entry-points."claimwise.decomposers"]
    mine = "my_package.decomposers:MyDecomposer"
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError


def registered(group: str) -> list[str]:
    """Return the names that installed packages register in ``group``, such as ``"claimwise.decomposers"``.

    Nothing is imported.
    """
    return sorted({entry.name for entry in _entries(group, _packages())})


def load_registered(group: str, name: str, *, option: str | None = None) -> Any:
    """Import and return what is registered in ``group`` under ``name``, whatever is wrong with others.

    Args:
        group: such as ``"claimwise.decomposers"``.
        name: the name in it.
        option: the option that gave the name, for errors; ``None`` means the kind, such as ``"decomposer"``.

    Raises:
        ClaimwiseError: for an unknown name, one that two packages register, or one that cannot be imported.
    """
    option = option or _kind(group)
    everything = _entries(group, _packages())
    entries = [entry for entry in everything if entry.name == name]
    if not entries:
        raise ClaimwiseError(
            f"Unknown {_kind(group)} {name!r}.",
            _choose_from(entry.name for entry in everything),
            option=option,
        )
    entry = _only(group, entries, option)
    try:
        return entry.load()
    except Exception as error:
        raise ClaimwiseError(
            f"The {_kind(group)} {name!r} of the package {_package(entry)} cannot be imported "
            f"({type(error).__name__}: {error}).",
            f"Update {_package(entry)}, uninstall it, or choose another {_kind(group)}.",
            option=option,
        ) from error


def _packages() -> tuple[tuple[Path, int], ...]:
    """Return the folders in which packages are looked for, and when one was last added to each."""
    return tuple((path, path.stat().st_mtime_ns) for path in map(Path, sys.path) if path.is_dir())


@lru_cache(maxsize=32)
def _entries(group: str, _packages: tuple[tuple[Path, int], ...]) -> EntryPoints:
    """Return what packages register in a group; reading that of all takes some ten milliseconds."""
    return entry_points(group=group)


def _only(group: str, entries: list[EntryPoint], option: str | None = None) -> EntryPoint:
    if len({(_package(entry), entry.value) for entry in entries}) > 1:
        packages = " and ".join(sorted({_package(entry) for entry in entries}))
        raise ClaimwiseError(
            f"The {_kind(group)} {entries[0].name!r} is registered more than once, by {packages}.",
            "Uninstall one of them, or ask its authors for another name.",
            option=option or _kind(group),
        )
    return entries[0]


def _choose_from(names: Iterable[str]) -> str:
    listed = [repr(name) for name in sorted(set(names))]
    if not listed:
        return (
            "Not even claimwise's own are registered: install claimwise again (pip install -e . in a clone)."
        )
    return f"Choose {' or '.join(filter(None, [', '.join(listed[:-1]), listed[-1]]))}."


def _kind(group: str) -> str:
    """Return ``"decomposer"`` for ``"claimwise.decomposers"``."""
    return group.rpartition(".")[2].removesuffix("s")


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.module
