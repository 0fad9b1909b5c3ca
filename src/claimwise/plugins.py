"""Entry points through which packages add decomposers, judges, metrics, commands and pages.

A package adds a decomposer ``mine`` with these lines in its ``pyproject.toml``; claimwise registers its own
parts in the same way::

    [project.entry-points."claimwise.decomposers"]
    mine = "my_package.decomposers:MyDecomposer"
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, did_you_mean
from claimwise.options import secrets

PACKAGES = {
    "claimwise.commands": {"summarize": "claimwise-summarize"},
    "claimwise.pages": {"summarize": "claimwise-summarize"},
}
"""What the further packages of this repository register: group → name → package."""


def registered(group: str) -> list[str]:
    """Return the names that installed packages register in ``group``, such as ``"claimwise.decomposers"``.

    Nothing is imported.
    """
    return sorted({entry.name for entry in _entries(group, _packages())})


def is_known(group: str, name: str) -> bool:
    """Return whether ``name`` is registered in ``group``, or would be by one of ``PACKAGES``."""
    return name in registered(group) or name in PACKAGES.get(group, {})


def own_classes(group: str) -> dict[str, str]:
    """Return the classes that claimwise itself registers in ``group``: class name → registered name.

    Nothing is imported.
    """
    own = (entry for entry in _entries(group, _packages()) if entry.module.startswith("claimwise."))
    return {entry.attr: entry.name for entry in own}


def load_registered(group: str, name: str, *, option: str | None = None) -> Any:
    """Import and return the object registered in ``group`` under ``name``; other entries may be broken.

    Args:
        group: such as ``"claimwise.decomposers"``.
        name: the registered name.
        option: the option that gave the name, for errors; ``None`` means the kind, such as ``"decomposer"``.

    Raises:
        ClaimwiseError: for a name that is unknown, registered by two packages, or cannot be imported.
    """
    option = option or _kind(group)
    everything = _entries(group, _packages())
    entries = [entry for entry in everything if entry.name == name]
    if not entries and (package := PACKAGES.get(group, {}).get(name)):
        raise ClaimwiseError(
            f"The {_kind(group)} {name!r} is in the package {package}, which is not installed.",
            f"Install it: pip install -e packages/{package} in a clone.",
            option=option,
        )
    if not entries:
        *others, last = [repr(known) for known in registered(group)] or [""]
        remedy = f"Choose {', '.join(others)} or {last}." if others else f"Choose {last}."
        if not last:
            own = "The components of claimwise itself are not registered"
            remedy = f"{own}: install claimwise again (pip install -e . in a clone)."
        near = did_you_mean(name, registered(group))
        raise ClaimwiseError(f"Unknown {_kind(group)} {name!r}.", f"{near}{remedy}", option=option)
    if len(entries) > 1 and len({(_package(entry), entry.value) for entry in entries}) > 1:
        packages = " and ".join(sorted({_package(entry) for entry in entries}))
        raise ClaimwiseError(
            f"The {_kind(group)} {name!r} is registered more than once, by {packages}.",
            "Uninstall one of them, or ask its authors for another name.",
            option=option,
        )
    try:
        return entries[0].load()
    except Exception as error:
        package = _package(entries[0])
        raise ClaimwiseError(
            f"The {_kind(group)} {name!r} of the package {package} cannot be imported "
            f"({type(error).__name__}: {error}).",
            f"Update {package}, uninstall it, or choose another {_kind(group)}.",
            option=option,
        ) from error


class Named:
    """A registered class or function that ``NAME`` or ``NAME:ADDRESS`` refers to, before it is called.

    Args:
        group: the group in which NAME is registered.
        text: ``"NAME"``, or ``"NAME:ADDRESS"``, whose address becomes the first argument.
        option: the option of a metric that named it, for errors.

    Attributes:
        parameters: accepted options, without the address.
        takes_any: whether options of any name are accepted; secrets are not.

    Raises:
        ClaimwiseError: see ``load_registered``.
    """

    def __init__(self, group: str, text: str, option: str) -> None:
        name, colon, address = text.partition(":")
        self.text, self._option, self._kind = text, option, _kind(group)
        self._factory = load_registered(group, name, option=option)
        self._address = (address,) if colon else ()
        parameters = list(signature(self._factory).parameters.values())
        kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        self.parameters = [one.name for one in parameters if one.kind in kinds][len(self._address) :]
        self.takes_any = any(one.kind is Parameter.VAR_KEYWORD for one in parameters)

    def __contains__(self, option: str) -> bool:
        return option in self.parameters or (self.takes_any and not secrets([option]))

    def check(self, options: Iterable[str]) -> None:
        """Reject unknown options.

        Raises:
            ClaimwiseError: naming the first unknown option and all accepted ones.
        """
        if unknown := sorted(option for option in options if option not in self):
            known = sorted({*self.parameters} - secrets(self.parameters) - {"show_progress"})
            listed = f"{did_you_mean(unknown[0], known)}Its options are {', '.join(known)}."
            raise ClaimwiseError(
                f"The {self._kind} {self.text!r} has no option {', '.join(map(repr, unknown))}.",
                listed if known else "It has no options.",
                option=unknown[0],
            )

    def made(self, options: Mapping[str, Any], perhaps: Mapping[str, Any]) -> Any:
        """Return the object created with ``options`` and the accepted options among ``perhaps``.

        Raises:
            ClaimwiseError: for invalid options, and any that the constructor raises.
        """
        taken = {name: value for name, value in perhaps.items() if name in self.parameters}
        options = {**taken, **options}
        try:
            signature(self._factory).bind(*self._address, **options)
        except TypeError as error:
            raise ClaimwiseError(
                f"The {self._kind} {self.text!r} cannot be created ({error}).",
                f"Write {self.text.partition(':')[0]}:ADDRESS, with the address of the {self._kind}.",
                option=self._option,
            ) from error
        try:
            return self._factory(*self._address, **options)
        except ClaimwiseError as error:
            raise error.at(option=error.option if error.option in options else self._option) from None


def _packages() -> tuple[tuple[Path, int], ...]:
    """Return the folders that are searched for packages, with the time of each folder's last change."""
    return tuple((path, path.stat().st_mtime_ns) for path in map(Path, sys.path) if path.is_dir())


@lru_cache(maxsize=32)
def _entries(group: str, _packages: tuple[tuple[Path, int], ...]) -> EntryPoints:
    """Return the entry points of a group; reading them for all packages takes some ten milliseconds."""
    return entry_points(group=group)


def _kind(group: str) -> str:
    """Return ``"decomposer"`` for ``"claimwise.decomposers"``."""
    return group.rpartition(".")[2].removesuffix("s")


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.module
