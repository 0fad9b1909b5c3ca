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

from claimwise.errors import ClaimwiseError, did_you_mean, in_backticks
from claimwise.options import SECRETS

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

    Raises:
        ClaimwiseError: for a name that is unknown, registered by two packages, or cannot be imported; of
            ``option``, or else of the kind, such as ``"decomposer"``.
    """
    kind = _kind(group)
    option = option or kind
    entries = [entry for entry in _entries(group, _packages()) if entry.name == name]
    if not entries:
        raise _unknown(group, name, option)
    if len({(_package(entry), entry.value) for entry in entries}) > 1:
        packages = " and ".join(sorted({_package(entry) for entry in entries}))
        raise ClaimwiseError(
            f"The {kind} `{name}` is registered more than once, by {packages}.",
            "Uninstall one of them, or ask the authors of one to rename it.",
            option=option,
        )
    try:
        return entries[0].load()
    except Exception as error:
        package = _package(entries[0])
        raise ClaimwiseError(
            f"The {kind} `{name}` of the package {package} cannot be imported "
            f"({type(error).__name__}: {error}).",
            f"Update {package}, uninstall it, or choose another {kind}.",
            option=option,
        ) from error


def _unknown(group: str, name: str, option: str) -> ClaimwiseError:
    """Return the error for a name that no installed package registers."""
    kind, known = _kind(group), registered(group)
    if package := PACKAGES.get(group, {}).get(name):
        return ClaimwiseError(
            f"The {kind} `{name}` is in the package {package}, which is not installed.",
            f"Install it: pip install -e packages/{package} in a clone.",
            option=option,
        )
    remedy = f"{did_you_mean(name, known)}Choose one of {in_backticks(known)}."
    if not known:
        remedy = "Install claimwise again (pip install -e . in a clone): its own parts are not registered."
    return ClaimwiseError(f"Unknown {kind} `{name}`.", remedy, option=option)


class Named:
    """A registered class or function that ``NAME`` or ``NAME:ADDRESS`` refers to, before it is called.

    Args:
        group: the group in which NAME is registered.
        text: ``"NAME"``, or ``"NAME:ADDRESS"``, whose address becomes the first argument.
        option: the option of a metric that gave the text, for errors.

    Attributes:
        parameters: accepted options, without the address.
        takes_any: whether options of any name are accepted; secrets are not.
    """

    def __init__(self, group: str, text: str, option: str) -> None:
        name, colon, address = text.partition(":")
        self.text, self._option, self._kind = text, option, _kind(group)
        self._factory = load_registered(group, name, option=option)
        self._address = (address,) if colon else ()
        kinds = {name: parameter.kind for name, parameter in signature(self._factory).parameters.items()}
        by_name = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        self.parameters = [name for name, kind in kinds.items() if kind in by_name][len(self._address) :]
        self.takes_any = Parameter.VAR_KEYWORD in kinds.values()

    def __contains__(self, option: str) -> bool:
        return option in self.parameters or (self.takes_any and option not in SECRETS)

    def check(self, options: Iterable[str]) -> None:
        """Reject unknown options; the error names the accepted ones."""
        if unknown := sorted(option for option in options if option not in self):
            known = sorted({*self.parameters} - SECRETS - {"show_progress"})
            listed = f"{did_you_mean(unknown[0], known)}Its options are {in_backticks(known)}."
            raise ClaimwiseError(
                f"The {self._kind} `{self.text}` has no option {in_backticks(unknown)}.",
                listed if known else "It has no options.",
                option=unknown[0],
            )

    def made(self, options: Mapping[str, Any], optional: Mapping[str, Any]) -> Any:
        """Return the object created with ``options`` and the accepted options among ``optional``."""
        taken = {name: value for name, value in optional.items() if name in self.parameters}
        options = {**taken, **options}
        try:
            signature(self._factory).bind(*self._address, **options)
        except TypeError as error:
            raise ClaimwiseError(
                f"The {self._kind} `{self.text}` cannot be created ({error}).",
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
    # Kept, because reading those of all packages takes some ten milliseconds.
    return entry_points(group=group)


def _kind(group: str) -> str:
    """Return ``"decomposer"`` for ``"claimwise.decomposers"``."""
    return group.rpartition(".")[2].removesuffix("s")


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.module
