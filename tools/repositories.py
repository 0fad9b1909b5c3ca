"""Repositories of the Hugging Face Hub: building their folders, and uploading them.

``build`` runs in a clone and writes one folder, all or nothing:

    claimwise-wheel/       the wheels that the Spaces install, a repository of its own
    spaces/<metric>/       module script, card with the front matter of a Space, app, requirements
    spaces/claimwise/      the front page, which links to all of them
    spaces/summarize/      the page that summarizes reviews, of the package claimwise-summarize
    datasets/<data set>/   Parquet files and the card
    claimwise-hub.json     list of the files written: only these are ever replaced or uploaded
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import responses
from pathlib import Path
from typing import Any

from links import linked

from claimwise.apps.space_cards import FRONT
from claimwise.data import cocotrip
from claimwise.errors import ClaimwiseError
from claimwise.signature import file_digest
from claimwise_summarize.card import CARD

CLONE = Path(__file__).parents[1]
MARK = "claimwise-hub.json"
PYTHON = "3.11"
TIMEOUT_SECONDS = 10.0
WHEEL = "claimwise-wheel"
DISTRIBUTIONS = {"claimwise": ".", "claimwise-summarize": "packages/claimwise-summarize"}
"""The distributions whose wheels the Spaces install, each with its folder in a clone."""
PAGES = {FRONT["title"]: FRONT, "summarize": CARD}
"""Front matter of the Spaces that belong to no metric, by the names of their folders."""
FURTHER = {"summarize": ("claimwise-summarize",)}
"""What a Space installs besides ``claimwise[spaces]``."""
NAMESPACE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")

SPACE_README = """\
---
{front_matter}
---

# {title}

{short_description}

Run this page from a clone of claimwise with `python spaces/{name}/app.py`, or build all Spaces for the Hub
with `python tools/hub.py build`.
"""
SPACE_APP = '''\
"""The Space of {title}."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch({arguments})
'''
SPACE_REQUIREMENTS = """\
# claimwise is not on PyPI yet: "python tools/hub.py build" names its wheel (a clone: pip install {folders})
{names}
"""
WHEEL_CARD = """\
---
license: apache-2.0
viewer: false
---

# The wheels of claimwise

The Spaces of claimwise install these wheels: each names the files that it needs in its requirements.
"""


# Building -----------------------------------------------------------------------------------------


def build(
    out: Path,
    *,
    source: Path | None = None,
    namespace: str | None = None,
    wheels: Sequence[Path] = (),
    clone: Path = CLONE,
) -> list[Path]:
    """Build a Space for every metric and a repository for every data set.

    Args:
        out: the folder to write. It appears in one step, and replaces the folder of an earlier build.
        source: the source files of CoCoTrip, or a folder that ``claimwise data build cocotrip`` wrote;
            without it CoCoTrip, whose texts have other owners, is left out.
        namespace: the user or organization on the Hub. The Spaces install wheels from their address there,
            because the Hub installs requirements before it copies other files; without a namespace they
            install them from their folder, for use on this machine.
        wheels: wheels of ``DISTRIBUTIONS``; others are built.
        clone: the clone of the repository.

    Returns:
        The folders, one per repository of the Hub.

    Raises:
        ClaimwiseError: for an ``out`` with files that ``build`` did not write, and if a wheel or a data set
            cannot be built.
    """
    out = Path(out).expanduser().absolute()
    if namespace is not None and not NAMESPACE.fullmatch(namespace):
        raise ClaimwiseError(
            f"{namespace!r} is not a user or organization of the Hub.",
            "Use only the name, such as my-group.",
            option="namespace",
        )
    found = {_distribution(wheel): wheel for wheel in wheels}
    if out.exists():
        _read_mark(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".building-") as temporary:
            content = Path(temporary) / "content"
            for name in DISTRIBUTIONS.keys() - found.keys():  # via a source distribution, without stale files
                built, source_folder = Path(temporary) / name, clone / DISTRIBUTIONS[name]
                _run(
                    f"The wheel of {name}", "-m", "build", "--no-isolation", "--outdir", built, source_folder
                )
                found[name] = next(built.glob("*.whl"))
            (content / WHEEL).mkdir(parents=True)
            for wheel in found.values():
                shutil.copyfile(wheel, content / WHEEL / wheel.name)
            (content / WHEEL / "README.md").write_text(WHEEL_CARD, encoding="utf-8")
            files = {name: wheel.name for name, wheel in found.items()}
            for name in space_names(clone):
                _build_space(clone, content / "spaces" / name, files, namespace)
            (content / "datasets").mkdir()
            script, folder = clone / "datasets_scripts" / "own_data.py", content / "datasets" / "opinion_nli"
            _run("OpinionNLI", script, "build", "opinion_nli", "--output", folder)
            if source is not None:
                folder, card = content / "datasets" / "cocotrip", source / "README.md"
                if card.is_file() and cocotrip.CARD_MARKER in card.read_text(encoding="utf-8"):
                    shutil.copytree(source / "data", folder / "data")
                    shutil.copyfile(card, folder / "README.md")
                else:
                    cocotrip.build(folder, source)
            _turn_links(content, clone, namespace)
            mark = {"namespace": namespace, "files": _fingerprints(content)}
            (content / MARK).write_text(json.dumps(mark, indent=1), encoding="utf-8")
            if out.exists():
                out.rename(Path(temporary) / "replaced")
            content.rename(out)
    except OSError as error:
        raise ClaimwiseError(
            f"cannot be written ({error}).",
            "Choose a writable folder with --output, and check the free space.",
            path=out,
        ) from error
    return [folder for _, folder in _repositories(out)]


def _distribution(wheel: Path) -> str:
    """Return the name of the distribution in a wheel file; refuse any other file."""
    name = wheel.name.partition("-")[0].replace("_", "-")
    if wheel.suffix != ".whl" or not wheel.is_file() or name not in DISTRIBUTIONS:
        raise ClaimwiseError(
            f"is not a wheel of {' or '.join(DISTRIBUTIONS)}.",
            "Pass claimwise-….whl, or omit it.",
            path=wheel,
        )
    return name


def _run(what: str, *arguments: object) -> None:
    """Run a Python module of the clone that builds something."""
    command = [sys.executable, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        said = (run.stderr or run.stdout).strip().splitlines()
        raise ClaimwiseError(
            f"{what} cannot be built ({said[-1] if said else 'no output'}).",
            "Install the tools with pip install --editable '.[dev]', or pass a wheel with --wheel.",
        )


def _build_space(clone: Path, space: Path, wheels: Mapping[str, str], namespace: str | None) -> None:
    """Build the folder of a Space: app, requirements, and for a metric its script and card.

    The requirements name the wheels (file by distribution) by their addresses on the Hub, or without a
    namespace by their local folder.
    """
    from huggingface_hub import RepoCard, constants, hf_hub_url

    module = clone / "metrics" / space.name
    address = None if namespace is None else f"{constants.ENDPOINT}/spaces/{namespace}"
    files = space_files(clone, space.name, address)
    space.mkdir(parents=True)
    (space / "app.py").write_text(files["app.py"], encoding="utf-8")
    card: Any = RepoCard(files["README.md"])
    if module.is_dir():
        shutil.copyfile(module / f"{space.name}.py", space / f"{space.name}.py")
        tags = card.data.tags
        card = RepoCard.load(module / "README.md")
        card.data.tags = tags
    card.data.python_version = PYTHON
    card.save(space / "README.md")
    places = []
    for requirement in _requirements(space.name):
        name, bracket, extra = requirement.partition("[")
        places.append(f"../../{WHEEL}/{wheels[name]}{bracket}{extra}")
        if namespace is not None:
            url = hf_hub_url(f"{namespace}/{WHEEL}", wheels[name], repo_type="dataset")
            places[-1] = f"{requirement} @ {url}"
    (space / "requirements.txt").write_text("".join(f"{place}\n" for place in places), encoding="utf-8")


def _turn_links(content: Path, clone: Path, namespace: str | None) -> None:
    """Make the links of cards lead to the Hub's pages of other cards, and to files of the repository."""
    from huggingface_hub import constants

    copies = {}
    for folder, source in (("spaces", "metrics"), ("datasets", "datasets_scripts")):
        for card in sorted(content.glob(f"{folder}/*/README.md")):
            copies[card] = f"{source}/{card.parent.name}/README.md"
    pages = {
        source: f"{constants.ENDPOINT}/{card.parent.parent.name}/{namespace}/{card.parent.name}"
        for card, source in copies.items()
        if namespace is not None
    }
    for card, source in copies.items():
        card.write_text(linked(card.read_text(encoding="utf-8"), source, pages, clone), encoding="utf-8")


def _fingerprints(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file by its path in ``folder``."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / MARK)
    return {path.relative_to(folder).as_posix(): file_digest(path) for path in paths}


def _read_mark(folder: Path) -> dict[str, Any]:
    """Return the record of ``build`` in ``folder``.

    Raises:
        ClaimwiseError: if ``folder`` has changed since ``build`` wrote it.
    """
    try:
        if folder.is_dir() and not any(folder.iterdir()):
            return {"namespace": None, "files": {}}
        mark: dict[str, Any] = json.loads((folder / MARK).read_text(encoding="utf-8"))
        recorded, found = mark["files"], _fingerprints(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ClaimwiseError(
            f"was not written by tools/hub.py build (it has no valid {MARK}).",
            "Choose another folder.",
            path=folder,
        ) from error
    strays = sorted(path for path in recorded.keys() | found.keys() if recorded.get(path) != found.get(path))
    if strays:
        raise ClaimwiseError(
            f"{strays[0]} has changed since tools/hub.py build wrote it ({len(strays)} such files).",
            "Move your own files elsewhere, delete the folder and build again.",
            path=folder,
        )
    return mark


def _repositories(folder: Path) -> list[tuple[str, Path]]:
    """Return type and folder of each repository in ``folder``.

    The wheels come first and Spaces come last, because they install the wheels once they are uploaded.
    """
    wheel = [("dataset", path) for path in folder.glob(WHEEL)]
    others = [(kind, path) for kind in ("dataset", "space") for path in sorted(folder.glob(f"{kind}s/*"))]
    return wheel + others


# The folders of the Spaces in a clone --------------------------------------------------------------


def space_names(clone: Path = CLONE) -> list[str]:
    """Return the names of all Spaces: metrics with a card, and ``PAGES``."""
    return [*sorted(card.parent.name for card in clone.glob("metrics/*/README.md")), *PAGES]


def space_files(clone: Path, name: str, address: str | None = None) -> dict[str, str]:
    """Return the content of the folder ``spaces/<name>`` by file, made from the metrics' cards.

    Args:
        clone: the clone of the repository.
        name: name of a metric or of one of ``PAGES``.
        address: base address of the metrics' Spaces, for the links of the front page; without it the front
            page says how to start each page.
    """
    from huggingface_hub import CardData, metadata_load

    is_front = name == FRONT["title"]
    # Common settings, such as the version of Gradio, come from any metric for a page without a metric.
    card = clone / "metrics" / ("caspr" if name in PAGES else name) / "README.md"
    metadata = {**(metadata_load(card) or {}), **PAGES.get(name, {})}
    tags = ["summarization"] if name in PAGES else [*metadata["tags"], "summarization"]
    shown = {key: value for key, value in metadata.items() if key not in ("tags", "description")}
    data = CardData(**shown, tags=tags)
    at = f', spaces_at="{address}"' if is_front and address else ""
    return {
        "README.md": SPACE_README.format(front_matter=data.to_yaml(), name=name, **metadata),
        "app.py": SPACE_APP.format(title=metadata["title"], arguments=f'"{name}"{at}'),
        "requirements.txt": SPACE_REQUIREMENTS.format(
            folders=" ".join(["'.[spaces]'", *(f"./{DISTRIBUTIONS[one]}" for one in FURTHER.get(name, ()))]),
            names="\n".join(_requirements(name)),
        ),
    }


def _requirements(name: str) -> list[str]:
    """Return what a Space installs."""
    return ["claimwise[spaces]", *FURTHER.get(name, ())]


def write_spaces(clone: Path = CLONE) -> None:
    """Rewrite the folders of all Spaces after a card has changed."""
    for name in space_names(clone):
        for file, content in space_files(clone, name).items():
            path = clone / "spaces" / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")


# Uploading ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Changes:
    """The changes that uploading a folder makes to its repository on the Hub.

    Attributes:
        kind: ``"space"`` or ``"dataset"``.
        repository: its name, with the namespace.
        folder: the folder to upload.
        exists: whether the repository exists; else it would be created.
        files: every path with its change: ``"+"`` added, ``"~"`` changed, ``"-"`` deleted, ``"="`` unchanged.
    """

    kind: str
    repository: str
    folder: Path
    exists: bool
    files: dict[str, str]

    def __bool__(self) -> bool:
        """Return whether there is anything to upload."""
        return set(self.files.values()) != {"="}


def compare(folder: Path) -> Iterator[Changes]:
    """Compare each folder that ``build`` wrote with its repository on the Hub; change nothing.

    Args:
        folder: a folder that ``build`` wrote for a namespace.

    Yields:
        The changes of each repository.

    Raises:
        ClaimwiseError: if the folder has changed since ``build`` wrote it or was built without a namespace,
            or the Hub refuses the request or is unreachable.
    """
    folder = Path(folder).expanduser().absolute()
    namespace = _read_mark(folder)["namespace"]
    if namespace is None:
        raise ClaimwiseError(
            "was built for use on this machine; on the Hub, its Spaces would not find their wheel.",
            f"Run python tools/hub.py build --output {folder} --namespace NAME first.",
            path=folder,
        )
    for kind, path in _repositories(folder):
        yield _changes(kind, f"{namespace}/{path.name}", path)


def upload(changes: Changes) -> None:
    """Upload the folder to the repository in one commit; create the repository if it does not exist.

    Raises:
        ClaimwiseError: if the Hub refuses the request or is unreachable; the repository is then unchanged, or
            empty.
    """
    from huggingface_hub import HfApi

    api = HfApi()
    sdk = "gradio" if changes.kind == "space" else None
    with _hub_errors(changes.repository):
        api.create_repo(changes.repository, repo_type=changes.kind, space_sdk=sdk, exist_ok=True)
        api.upload_folder(
            repo_id=changes.repository,
            repo_type=changes.kind,
            folder_path=changes.folder,
            delete_patterns="*",
            commit_message="Update to what tools/hub.py build wrote",
        )


def _changes(kind: str, repository: str, folder: Path) -> Changes:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    ours = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    ask = HfApi().space_info if kind == "space" else HfApi().dataset_info
    try:
        with _hub_errors(repository):
            info = ask(repository, files_metadata=True, timeout=TIMEOUT_SECONDS)
    except ClaimwiseError as error:
        if isinstance(error.__cause__, RepositoryNotFoundError):
            return Changes(kind, repository, folder, False, dict.fromkeys(sorted(ours), "+"))
        raise
    # An upload keeps the Hub's own .gitattributes.
    theirs = {file.rfilename: file for file in info.siblings or [] if file.rfilename != ".gitattributes"}
    files = dict.fromkeys(ours, "+") | dict.fromkeys(theirs, "-")
    for path in ours.keys() & theirs.keys():
        files[path] = "=" if _is_same(ours[path], theirs[path]) else "~"
    return Changes(kind, repository, folder, True, dict(sorted(files.items())))


def _is_same(path: Path, remote: Any) -> bool:
    """Compare with the hash on the Hub: SHA-256 for a large file, git's hash for others."""
    if remote.lfs is not None:
        return bool(file_digest(path) == remote.lfs.sha256)
    content = path.read_bytes()
    blob = hashlib.sha1(f"blob {len(content)}\0".encode() + content, usedforsecurity=False)
    return bool(blob.hexdigest() == remote.blob_id)


@contextmanager
def _hub_errors(repository: str) -> Iterator[None]:
    """Turn errors of the Hub into one sentence, which never contains the access token."""
    from huggingface_hub import get_token
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    # Errors of huggingface_hub's HTTP library: requests before 1.0, httpx before 2.0, then httpx2.
    http_error: type[Exception] = HfHubHTTPError.__bases__[0]
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise ClaimwiseError(
            "The Hub was not contacted, because HF_HUB_OFFLINE is set.", "Unset it."
        ) from error
    except HfHubHTTPError as error:
        status = error.response.status_code
        said = " ".join((error.server_message or responses.get(status, "")).split())
        token = get_token()
        said = said.replace(token, "…") if token else said
        remedy = "Log in with hf auth login, or set HF_TOKEN." if status in (401, 403) else "Try again later."
        raise ClaimwiseError(f"{repository}: the Hub answered {status} ({said}).", remedy) from error
    except (http_error, OSError, RuntimeError) as error:
        raise ClaimwiseError(
            f"{repository}: the Hub cannot be reached ({type(error).__name__}).",
            "Check the network, and HF_ENDPOINT if it is set.",
        ) from error
