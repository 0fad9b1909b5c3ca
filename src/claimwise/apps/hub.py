"""Everything that goes to the Hugging Face Hub: laid out as folders, and uploaded.

``build`` runs in a clone and writes one folder, all or nothing:

    claimwise-wheel/       the wheel that all Spaces install, a repository of its own
    spaces/<metric>/       module script, card with the front matter of a Space, app, requirements
    spaces/claimwise/      the front page, which leads to all of them
    datasets/<data set>/   Parquet files and the card
    claimwise-hub.json     what was written, file by file: only that is ever replaced or uploaded
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import responses
from pathlib import Path
from typing import Any

from claimwise.data import cocotrip
from claimwise.errors import ClaimwiseError

CLONE = Path(__file__).parents[3]
MARK = "claimwise-hub.json"
PYTHON = "3.11"
TIMEOUT_SECONDS = 10.0
WHEEL = "claimwise-wheel"
NAMESPACE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")

SPACE_KEYS = (
    "title",
    "emoji",
    "colorFrom",
    "colorTo",
    "sdk",
    "sdk_version",
    "app_file",
    "pinned",
    "license",
    "short_description",
)
SPACE_README = """
# {title}

{subtitle} Run this page from a clone of claimwise with `python spaces/{name}/app.py`, or lay out all
Spaces for the Hub with `claimwise hub build`. The metric is described in its card,
`metrics/{name}/README.md`.
"""
SPACE_APP = '''\
"""The Space of {title}; the page is built from the metric's card."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("{name}")
'''
SPACE_REQUIREMENTS = """\
# claimwise is not on PyPI yet: "claimwise hub build" names its wheel. In a clone: pip install '.[spaces]'
claimwise[spaces]
"""
FRONT = {
    "title": "claimwise",
    "emoji": "🏠",
    "colorFrom": "blue",
    "colorTo": "indigo",
    "short_description": "Contrast and support of summaries, claim by claim",
}
"""The front page, in the front matter of its Space; its title is the name of its folder."""

FRONT_README = """
# claimwise

{short_description}. The front page compares two summaries by all contrast metrics and leads to the page of
every metric. Run it from a clone of claimwise with `python spaces/claimwise/app.py`.

| page | what it shows |
|---|---|
{rows}
"""
FRONT_APP = '''\
"""The Space that leads to those of all metrics."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch_front({address})
'''
WHEEL_CARD = """\
---
license: apache-2.0
viewer: false
---

# The wheel of claimwise

What the Spaces of claimwise install: each names this file in its requirements.
"""


# Building -----------------------------------------------------------------------------------------


def build(
    out: Path,
    *,
    source: Path | None = None,
    namespace: str | None = None,
    wheel: Path | None = None,
    clone: Path = CLONE,
) -> list[Path]:
    """Lay out a Space for every metric and a repository for every data set.

    Args:
        out: the folder to write. It appears in one step; one that an earlier build wrote is replaced.
        source: the source files of CoCoTrip, or a folder that ``claimwise data build cocotrip`` wrote;
            without it CoCoTrip, whose texts are other people's, is left out.
        namespace: the user or organization of the Hub that the Spaces are for. They install the wheel from
            its address there, because the Hub installs requirements before it copies other files; without
            a namespace they install it from its folder here, for use on this machine.
        wheel: the wheel of claimwise; without it one is built.
        clone: the clone of the repository.

    Returns:
        The folders, one per repository of the Hub.

    Raises:
        ClaimwiseError: outside a clone, for an ``out`` that holds anything that ``build`` did not write,
            and when the wheel or a data set cannot be built.
    """
    out = Path(out).expanduser().absolute()
    if not (clone / "setup.cfg").is_file() or not (clone / "spaces").is_dir():
        raise ClaimwiseError(
            "Folders for the Hub are built in a clone of the repository: the apps and OpinionNLI are there, "
            "not in the installed package.",
            "Clone it, run make demo there, and give the command again with its .venv/bin/claimwise.",
        )
    if namespace is not None:
        _check_namespace(namespace)
    if wheel is not None and not (wheel.is_file() and wheel.name.startswith("claimwise-")):
        raise ClaimwiseError(
            "is not a wheel of claimwise.", "Give claimwise-….whl, or leave it out.", path=wheel
        )
    if out.exists():
        _read_mark(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".building-") as temporary:
            content = Path(temporary) / "content"
            if wheel is None:
                wheel = _build_wheel(clone, Path(temporary))
            _build_wheel_repository(wheel, content / WHEEL)
            for card in sorted(clone.glob("metrics/*/README.md")):
                _build_space(card.parent, content / "spaces" / card.parent.name, wheel.name, namespace)
            _build_front(clone, content / "spaces" / FRONT["title"], wheel.name, namespace)
            _build_opinion_nli(clone, content / "datasets" / "opinion_nli")
            if source is not None:
                _build_cocotrip(source, content / "datasets" / "cocotrip")
            mark = {"namespace": namespace, "files": _fingerprints(content)}
            (content / MARK).write_text(json.dumps(mark, indent=1), encoding="utf-8")
            if out.exists():
                out.rename(Path(temporary) / "replaced")
            content.rename(out)
    except OSError as error:
        raise ClaimwiseError(
            f"cannot be written ({error}).",
            "Choose a writable folder with --out (out=), and check the free space.",
            path=out,
        ) from error
    return [folder for _, folder in _repositories(out)]


def _check_namespace(namespace: str) -> None:
    if not NAMESPACE.fullmatch(namespace):
        raise ClaimwiseError(
            f"{namespace!r} is not a user or organization of the Hub.",
            "Give its name alone, such as my-group.",
            option="namespace",
        )


def _build_wheel(clone: Path, folder: Path) -> Path:
    """Build the wheel by way of a source distribution, so that nothing stale in the clone gets into it."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "wheel"), str(clone)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        said = (run.stderr or run.stdout).strip().splitlines()
        raise ClaimwiseError(
            f"The wheel of claimwise cannot be built ({said[-1] if said else 'no output'}).",
            "Install the tools with pip install --editable '.[dev]', or give a wheel with --wheel.",
        )
    return next((folder / "wheel").glob("*.whl"))


def _build_wheel_repository(wheel: Path, folder: Path) -> None:
    """Lay out the repository that holds the one copy of the wheel."""
    folder.mkdir(parents=True)
    shutil.copyfile(wheel, folder / wheel.name)
    (folder / "README.md").write_text(WHEEL_CARD, encoding="utf-8")


def _build_space(module: Path, space: Path, wheel: str, namespace: str | None) -> None:
    """Lay out the Space of a metric: the app, the module script, and the card with what a Space needs."""
    from huggingface_hub import RepoCard

    name = module.name
    _write(space_files(module / "README.md"), space)
    shutil.copyfile(module / f"{name}.py", space / f"{name}.py")

    card = RepoCard.load(module / "README.md")
    card.data.tags = RepoCard.load(space / "README.md").data.tags
    card.data.python_version = PYTHON
    card.save(space / "README.md")
    _write_requirements(space, wheel, namespace)


def _build_front(clone: Path, space: Path, wheel: str, namespace: str | None) -> None:
    """Lay out the Space of the front page, whose links lead to the Spaces of the namespace."""
    from huggingface_hub import RepoCard, constants

    address = None if namespace is None else f"{constants.ENDPOINT}/spaces/{namespace}"
    _write(front_files(clone, address), space)
    card = RepoCard.load(space / "README.md")
    card.data.python_version = PYTHON
    card.save(space / "README.md")
    _write_requirements(space, wheel, namespace)


def _write_requirements(space: Path, wheel: str, namespace: str | None) -> None:
    """Name the wheel: at its address on the Hub, or without a namespace in its folder here."""
    from huggingface_hub import hf_hub_url

    place = f"../../{WHEEL}/{wheel}[spaces]"
    if namespace is not None:
        url = hf_hub_url(f"{namespace}/{WHEEL}", wheel, repo_type="dataset")
        place = f"claimwise[spaces] @ {url}"
    (space / "requirements.txt").write_text(f"{place}\n", encoding="utf-8")


def _build_opinion_nli(clone: Path, folder: Path) -> None:
    """Build the data set with the script of the clone."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    script = clone / "datasets_scripts" / "own_data.py"
    command = [sys.executable, str(script), "build", "opinion_nli", "--out", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise ClaimwiseError(f"OpinionNLI cannot be built ({run.stderr.strip()}).", "Mend the clone.")


def _build_cocotrip(source: Path, folder: Path) -> None:
    """Copy the data set from where it was built, or build it from its source files."""
    card = source / "README.md"
    if card.is_file() and cocotrip.CARD_MARKER in card.read_text(encoding="utf-8"):
        folder.mkdir(parents=True)
        shutil.copyfile(card, folder / "README.md")
        (folder / "data").mkdir()
        for config in cocotrip.CONFIGS:
            parquet = source / "data" / f"{config}.parquet"
            if not parquet.is_file():
                raise ClaimwiseError(f"lacks data/{config}.parquet.", "Build CoCoTrip again.", path=source)
            shutil.copyfile(parquet, folder / "data" / parquet.name)
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
        cocotrip.build(folder, source)


def _fingerprints(folder: Path) -> dict[str, str]:
    """Return the sha256 of every file, by its path below ``folder``."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / MARK)
    return {path.relative_to(folder).as_posix(): _sha256(path) for path in paths}


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _read_mark(folder: Path) -> dict[str, Any]:
    """Return what ``build`` recorded about ``folder``.

    Raises:
        ClaimwiseError: if ``folder`` is not exactly what ``build`` wrote.
    """
    try:
        if folder.is_dir() and not any(folder.iterdir()):
            return {"namespace": None, "files": {}}
        mark: dict[str, Any] = json.loads((folder / MARK).read_text(encoding="utf-8"))
        recorded, found = mark["files"], _fingerprints(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ClaimwiseError(
            f"was not written by claimwise hub build (it has no valid {MARK}).",
            "Choose another folder.",
            path=folder,
        ) from error
    strays = sorted(path for path in recorded.keys() | found.keys() if recorded.get(path) != found.get(path))
    if strays:
        raise ClaimwiseError(
            f"{strays[0]} is not as claimwise hub build wrote it ({len(strays)} such files).",
            "Move what is yours to another place, delete the folder and build again.",
            path=folder,
        )
    return mark


def _repositories(folder: Path) -> list[tuple[str, Path]]:
    """Return the repositories laid out in ``folder``, type and folder of each.

    The wheel's comes first and Spaces come last, because they install it as soon as they are uploaded.
    """
    wheel = [("dataset", path) for path in folder.glob(WHEEL)]
    others = [(kind, path) for kind in ("dataset", "space") for path in sorted(folder.glob(f"{kind}s/*"))]
    return wheel + others


# The folders of the Spaces in a clone --------------------------------------------------------------


def space_files(card: Path) -> dict[str, str]:
    """Return what the folder ``spaces/<metric>`` holds, by file: all of it is made of the metric's card.

    Args:
        card: ``metrics/<metric>/README.md``.
    """
    name, metadata = card.parent.name, _metadata(card)
    title, subtitle = metadata["title"], metadata["short_description"]
    subtitle += "" if subtitle.endswith("?") else "."
    return {
        "README.md": _front_matter(metadata, [*metadata["tags"], "summarization"])
        + SPACE_README.format(name=name, title=title, subtitle=subtitle),
        "app.py": SPACE_APP.format(name=name, title=title),
        "requirements.txt": SPACE_REQUIREMENTS,
    }


def front_files(clone: Path = CLONE, address: str | None = None) -> dict[str, str]:
    """Return what the folder of the front page holds, by file; it lists the metrics that have a card.

    Args:
        clone: the clone of the repository.
        address: below which the Spaces of the metrics are; without it they are the folders beside it.
    """
    cards = {card.parent.name: _metadata(card) for card in sorted(clone.glob("metrics/*/README.md"))}
    shared = next(iter(cards.values()))  # what is the same for all Spaces, such as the version of Gradio
    rows = (
        f"| [{card['emoji']} {card['title']}]({address or '..'}/{name}) | {card['short_description']} |"
        for name, card in cards.items()
    )
    return {
        "README.md": _front_matter({**shared, **FRONT}, ["summarization"])
        + FRONT_README.format(rows="\n".join(rows), **FRONT),
        "app.py": FRONT_APP.format(address="" if address is None else f'"{address}"'),
        "requirements.txt": SPACE_REQUIREMENTS,
    }


def write_spaces(clone: Path = CLONE) -> None:
    """Write the folder of every Space anew, after a card was changed."""
    for card in clone.glob("metrics/*/README.md"):
        _write(space_files(card), clone / "spaces" / card.parent.name)
    _write(front_files(clone), clone / "spaces" / FRONT["title"])


def _metadata(card: Path) -> dict[str, Any]:
    from huggingface_hub import RepoCard

    metadata: dict[str, Any] = RepoCard.load(card).data.to_dict()
    return metadata


def _front_matter(metadata: dict[str, Any], tags: list[str]) -> str:
    from huggingface_hub import CardData

    chosen = CardData(**{key: metadata[key] for key in SPACE_KEYS}, tags=tags)
    return f"---\n{chosen.to_yaml()}\n---\n"


def _write(files: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        (folder / file).write_text(content, encoding="utf-8")


# Uploading ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Changes:
    """What uploading a folder does to its repository of the Hub.

    Attributes:
        kind: ``"space"`` or ``"dataset"``.
        repository: its name, with the namespace.
        folder: what is uploaded.
        exists: whether the repository does; else it would be created.
        added: files that it lacks.
        changed: files whose content differs.
        deleted: files of the repository that are not in the folder.
        unchanged: files that are the same.
    """

    kind: str
    repository: str
    folder: Path
    exists: bool
    added: list[str]
    changed: list[str]
    deleted: list[str]
    unchanged: list[str]

    def __bool__(self) -> bool:
        """Tell whether there is anything to upload."""
        return bool(self.added or self.changed or self.deleted)


def compare(folder: Path, namespace: str | None = None) -> Iterator[Changes]:
    """Compare each folder that ``build`` laid out with its repository of the Hub; change nothing.

    Args:
        folder: what ``build`` wrote.
        namespace: the user or organization; by default the one that the folder was built for.

    Yields:
        The changes of one repository after the other.

    Raises:
        ClaimwiseError: if the folder is not what ``build`` wrote or was built for another namespace, and
            if the Hub refuses or cannot be reached.
    """
    folder = Path(folder).expanduser().absolute()
    namespace = _namespace_of(folder, namespace)
    for kind, path in _repositories(folder):
        yield _changes(kind, f"{namespace}/{path.name}", path)


def upload(changes: Changes) -> None:
    """Make the repository hold what its folder holds, in one commit; create it if it does not exist.

    Raises:
        ClaimwiseError: if the Hub refuses or cannot be reached; the repository is then as it was, or empty.
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
            commit_message="Update to what claimwise hub build wrote",
        )


def _namespace_of(folder: Path, namespace: str | None) -> str:
    """Return the namespace that ``folder`` was built for; another one is refused."""
    built_for: str | None = _read_mark(folder)["namespace"]
    if built_for is None or (namespace or built_for) != built_for:
        raise ClaimwiseError(
            f"was built for {built_for or 'use on this machine'}, and its Spaces would not find their wheel.",
            f"Run claimwise hub build --out {folder} --namespace {namespace or 'NAME'} first.",
            path=folder,
        )
    return built_for


def _changes(kind: str, repository: str, folder: Path) -> Changes:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    ours = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    api = HfApi()
    ask = api.space_info if kind == "space" else api.dataset_info
    try:
        with _hub_errors(repository):
            info = ask(repository, files_metadata=True, timeout=TIMEOUT_SECONDS)
    except ClaimwiseError as error:
        if isinstance(error.__cause__, RepositoryNotFoundError):
            return Changes(kind, repository, folder, False, sorted(ours), [], [], [])
        raise
    theirs = {file.rfilename: file for file in info.siblings or []}
    theirs.pop(".gitattributes", None)  # the Hub's own, which an upload keeps
    both = sorted(ours.keys() & theirs.keys())
    same = [path for path in both if _is_same(ours[path], theirs[path])]
    return Changes(
        kind,
        repository,
        folder,
        True,
        added=sorted(ours.keys() - theirs.keys()),
        changed=[path for path in both if path not in same],
        deleted=sorted(theirs.keys() - ours.keys()),
        unchanged=same,
    )


def _is_same(path: Path, remote: Any) -> bool:
    """Compare by size, then by the hash that the Hub keeps: sha256 of a large file, git's of others."""
    size = path.stat().st_size
    if size != remote.size:
        return False
    if remote.lfs is not None:
        return bool(_sha256(path) == remote.lfs.sha256)
    blob = hashlib.sha1(f"blob {size}\0".encode() + path.read_bytes(), usedforsecurity=False)
    return bool(blob.hexdigest() == remote.blob_id)


@contextmanager
def _hub_errors(repository: str) -> Iterator[None]:
    """Turn what goes wrong with the Hub into one sentence that never holds the access token."""
    from huggingface_hub import get_token
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    # Of the HTTP library that huggingface_hub uses: requests before 1.0, httpx before 2.0, then httpx2.
    http_error: type[Exception] = HfHubHTTPError.__bases__[0]
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise ClaimwiseError("The Hub was not asked, because HF_HUB_OFFLINE is set.", "Unset it.") from error
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
