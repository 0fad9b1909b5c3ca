"""What goes to the Hub: complete folders that the built wheel runs, and uploads that say what they do."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tarfile
import threading
import urllib.request
import venv
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import local_hub
import pytest
import repositories
from huggingface_hub import RepoCard
from links import linked
from local_hub import LocalHub

from claimwise import __version__
from claimwise.apps.space_cards import FRONT
from claimwise.data import cocotrip
from claimwise.errors import ClaimwiseError
from claimwise.metrics import METRICS, Metric

ROOT = Path(__file__).parents[2]
TOKEN = "hf_thisIsAnAccessToken"
WHEEL = f"claimwise-{__version__}-py3-none-any.whl"
WHEEL_OF_SUMMARIZERS = f"claimwise_summarize-{__version__}-py3-none-any.whl"
PAIRS = {
    "predictions": ["The pool is warm. Parking is free.", "The bar is closed."],
    "references": ["The pool is cold. Parking is free.", "The bar is open."],
}
each_metric = pytest.mark.parametrize("name", list(METRICS))


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# Packages -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_wheel_holds_every_module_the_weights_and_the_folders_of_the_metrics(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    source, metrics = ROOT / "src", ROOT / "metrics"
    wanted = {path.relative_to(source).as_posix() for path in source.rglob("*.py")}
    wanted |= {
        path.relative_to(source).as_posix()
        for path in (source / "claimwise" / "judges" / "weights").iterdir()
    }
    wanted |= {path.relative_to(source).as_posix() for path in source.rglob("templates/*")}
    for name in METRICS:
        for file in (f"{name}.py", "README.md", "requirements.txt"):
            assert (metrics / name / file).is_file()
            wanted.add(f"claimwise/apps/scripts/{name}/{file}")
    assert wanted - packed == set()


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="compares with what git tracks")
def test_sdist_holds_the_whole_project(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    missing = {name for name in tracked - packed if not name.startswith(".")}
    assert missing == set()


# Folders ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small_wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files that stand for the wheels where nothing is installed from them."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in (WHEEL, WHEEL_OF_SUMMARIZERS):
        (folder / name).write_bytes(b"the wheel")
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory, small_wheels: list[Path], clone_with_few_claims: Path
) -> Path:
    out = tmp_path_factory.mktemp("hub") / "out"
    repositories.build(out, namespace="my-group", wheels=small_wheels, clone=clone_with_few_claims)
    return out


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A build that a test may spoil."""
    return Path(shutil.copytree(built, tmp_path / "copied"))


@pytest.mark.slow
def test_there_is_a_space_for_every_metric_and_every_further_page(built: Path) -> None:
    assert {path.name for path in (built / "spaces").iterdir()} == {*METRICS, *repositories.PAGES}


def test_the_front_page_leads_to_the_spaces_of_the_namespace(built: Path) -> None:
    space, address = built / "spaces" / FRONT["title"], "https://huggingface.co/spaces/my-group"
    assert f'spaces.launch("claimwise", spaces_at="{address}")' in (space / "app.py").read_text()
    card = RepoCard.load(space / "README.md")
    assert card.data.to_dict()["python_version"] == repositories.PYTHON
    wheel = f"datasets/my-group/claimwise-wheel/resolve/main/{WHEEL}"
    assert wheel in (space / "requirements.txt").read_text()


@each_metric
def test_space_has_all_that_the_hub_needs(built: Path, name: str) -> None:
    space = built / "spaces" / name
    card = RepoCard.load(space / "README.md")
    metadata = card.data.to_dict()
    assert (metadata["sdk"], metadata["app_file"], metadata["license"]) == ("gradio", "app.py", "apache-2.0")
    assert metadata["title"]
    assert tuple(map(int, str(metadata["python_version"]).split("."))) >= (3, 11)
    assert card.text.lstrip().startswith("# Metric Card for ")
    assert "summarization" in metadata["tags"]
    assert {path.name for path in space.iterdir()} == {
        "README.md",
        "app.py",
        f"{name}.py",
        "requirements.txt",
    }


@each_metric
def test_links_of_a_card_lead_to_pages_or_name_the_file(built: Path, name: str) -> None:
    card = (built / "spaces" / name / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", card) == []
    assert "options shared by all metrics (`docs/options.md`)" in card


def test_links_follow_the_address_of_the_repository_and_the_pages_of_the_hub(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[metadata]\nurl = https://example.org/o/claimwise/\n")
    (tmp_path / "metrics" / "caspr").mkdir(parents=True)
    (tmp_path / "limits.md").touch()
    card = "[its limits](../../limits.md#bias), [SSAS](../ssas/README.md#use), [here](#use), [gone](../no.md)"
    shown = {"metrics/ssas/README.md": "https://hub/ssas"}

    text = linked(card, "metrics/caspr/README.md", shown, tmp_path)

    assert text == (
        "[its limits](https://example.org/o/claimwise/blob/HEAD/limits.md#bias), "
        "[SSAS](https://hub/ssas#use), [here](#use), [gone](../no.md)"
    )


@each_metric
def test_space_of_a_namespace_installs_the_wheel_from_there(built: Path, name: str) -> None:
    requirements = (built / "spaces" / name / "requirements.txt").read_text().splitlines()
    folder = "https://huggingface.co/datasets/my-group/claimwise-wheel/resolve/main"
    assert requirements == [f"claimwise[spaces] @ {folder}/{WHEEL}"]


def test_the_space_that_summarizes_installs_both_distributions(built: Path) -> None:
    requirements = (built / "spaces" / "summarize" / "requirements.txt").read_text().splitlines()
    folder = "https://huggingface.co/datasets/my-group/claimwise-wheel/resolve/main"
    assert requirements == [
        f"claimwise[spaces] @ {folder}/{WHEEL}",
        f"claimwise-summarize @ {folder}/{WHEEL_OF_SUMMARIZERS}",
    ]


def test_there_is_one_copy_of_each_wheel(built: Path, small_wheels: list[Path]) -> None:
    assert sorted(path.relative_to(built).as_posix() for path in built.rglob("*.whl")) == [
        f"claimwise-wheel/{wheel.name}" for wheel in small_wheels
    ]
    assert RepoCard.load(built / "claimwise-wheel" / "README.md").data.to_dict()["license"] == "apache-2.0"


@pytest.mark.slow
def test_space_without_a_namespace_installs_the_wheel_beside_it(
    tmp_path: Path, small_wheels: list[Path], clone_with_few_claims: Path
) -> None:
    repositories.build(tmp_path / "out", wheels=small_wheels, clone=clone_with_few_claims)
    space = tmp_path / "out" / "spaces" / "caspr"
    lines = (space / "requirements.txt").read_text().splitlines()
    wheel = next(line for line in lines if "claimwise" in line).removesuffix("[spaces]")
    assert (space / wheel).is_file()


def test_opinion_nli_is_laid_out_and_cocotrip_only_when_given(built: Path) -> None:
    assert [path.name for path in (built / "datasets").iterdir()] == ["opinion_nli"]


@pytest.mark.slow
@pytest.mark.skipif("CLAIMWISE_DATA" not in os.environ, reason="needs CLAIMWISE_DATA")
def test_cocotrip_is_laid_out_from_its_sources_or_from_a_built_folder(
    tmp_path: Path, small_wheels: list[Path], clone_with_few_claims: Path
) -> None:
    source = Path(os.environ["CLAIMWISE_DATA"])
    cocotrip.build(tmp_path / "cocotrip", source)
    repositories.build(tmp_path / "one", source=source, wheels=small_wheels, clone=clone_with_few_claims)
    repositories.build(
        tmp_path / "two", source=tmp_path / "cocotrip", wheels=small_wheels, clone=clone_with_few_claims
    )
    expected = contents(tmp_path / "cocotrip")
    assert contents(tmp_path / "one" / "datasets" / "cocotrip") == expected
    assert contents(tmp_path / "two" / "datasets" / "cocotrip") == expected


@pytest.mark.slow
def test_building_again_replaces_the_earlier_build(
    copied: Path, small_wheels: list[Path], clone_with_few_claims: Path
) -> None:
    folders = repositories.build(copied, wheels=small_wheels, clone=clone_with_few_claims)
    assert json.loads((copied / repositories.MARK).read_text())["namespace"] is None
    assert all(folder.is_dir() for folder in folders)
    assert [path.name for path in copied.parent.iterdir()] == ["copied"]


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, small_wheels: list[Path]) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ClaimwiseError, match="was not written by"):
        repositories.build(tmp_path, wheels=small_wheels)
    assert contents(tmp_path) == {"thesis.txt": b"mine"}


@pytest.mark.parametrize("change", ["added", "edited", "removed"])
def test_a_build_that_somebody_changed_is_left_alone(
    copied: Path, small_wheels: list[Path], change: str
) -> None:
    app = copied / "spaces" / "caspr" / "app.py"
    if change == "added":
        app = app.with_name("notes.txt")
    if change == "removed":
        app.unlink()
    else:
        app.write_text("mine")
    before = contents(copied)
    with pytest.raises(
        ClaimwiseError, match=f"spaces/caspr/{app.name} has changed since tools/hub.py build wrote"
    ):
        repositories.build(copied, wheels=small_wheels)
    assert contents(copied) == before


@pytest.mark.slow
def test_a_build_that_fails_leaves_the_earlier_one(
    copied: Path, small_wheels: list[Path], clone_with_few_claims: Path, tmp_path: Path
) -> None:
    before = contents(copied)
    with pytest.raises(ClaimwiseError, match=r"contains neither anno\.json"):
        repositories.build(
            copied, wheels=small_wheels, clone=clone_with_few_claims, source=tmp_path / "nowhere"
        )
    assert contents(copied) == before
    assert [path.name for path in tmp_path.iterdir()] == ["copied"]


@pytest.mark.parametrize("namespace", ["", "a/b", "../up", "a b", "hf.co/me", "-x"])
def test_a_namespace_that_the_hub_cannot_have_is_refused(tmp_path: Path, namespace: str) -> None:
    with pytest.raises(ClaimwiseError, match="not a user or organization"):
        repositories.build(tmp_path / "out", namespace=namespace)


# Uploading ----------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[LocalHub]:
    with local_hub.running() as running:
        yield running


def push(folder: Path, endpoint: str, *options: str) -> tuple[int, str]:
    """Run ``tools/hub.py push`` with an access token; return the exit code and all that it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"} | {
        "HF_ENDPOINT": endpoint,
        "HF_TOKEN": TOKEN,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    command = [sys.executable, str(ROOT / "tools" / "hub.py"), "push", str(folder), *options]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    assert TOKEN not in said
    return run.returncode, said


@pytest.mark.slow
def test_dry_run_shows_what_would_be_created_and_changes_nothing(built: Path, server: LocalHub) -> None:
    code, said = push(built, server.url)
    assert code == 0
    assert "space my-group/caspr does not exist yet" in said
    assert "dataset my-group/opinion_nli does not exist yet" in said
    assert said.count("  + README.md") == len(METRICS) + 4  # the wheel, a data set, and two further pages
    assert f"+ {WHEEL}" in said.splitlines()[2]  # before what installs it
    assert said.startswith("dataset my-group/claimwise-wheel does not exist yet\n")
    assert said.endswith("Nothing was uploaded. Pass --yes to upload.\n")
    assert server.repositories == {}
    assert TOKEN in server.tokens


@pytest.mark.slow
def test_upload_makes_the_hub_hold_the_folders(built: Path, server: LocalHub) -> None:
    code, said = push(built, server.url, "--yes")
    assert code == 0, said
    for kind, path in repositories._repositories(built):
        remote = server.repositories[f"{kind}s/my-group/{path.name}"]
        assert remote.pop(".gitattributes")
        assert remote == contents(path)
    code, said = push(built, server.url)
    assert code == 0
    assert said.count("is up to date") == len(METRICS) + 4  # the wheel, a data set, and two further pages
    assert next(iter(server.repositories)) == "datasets/my-group/claimwise-wheel"


@pytest.mark.slow
def test_changes_are_shown_file_by_file_and_made(copied: Path, server: LocalHub) -> None:
    for path in [*copied.glob("spaces/*"), *copied.glob("datasets/*")]:
        if path.name != "caspr":
            shutil.rmtree(path)
    keep_in_mark(copied)
    push(copied, server.url, "--yes")
    wheels = server.repositories["datasets/my-group/claimwise-wheel"]
    wheels[WHEEL] = b"other one"  # of the same size
    wheels["claimwise-0.0.9-py3-none-any.whl"] = b"older wheel"
    remote = server.repositories["spaces/my-group/caspr"]
    remote["app.py"] = b"older"
    del remote["requirements.txt"]
    code, said = push(copied, server.url)
    assert code == 0
    shown = [line.strip() for line in said.splitlines() if line.startswith("  ")]
    assert shown == [
        "= README.md",
        "- claimwise-0.0.9-py3-none-any.whl",
        f"~ {WHEEL}",
        f"= {WHEEL_OF_SUMMARIZERS}",
        "= README.md",
        "~ app.py",
        "= caspr.py",
        "+ requirements.txt",
    ]
    push(copied, server.url, "--yes")
    assert remote.pop(".gitattributes")
    assert remote == contents(copied / "spaces" / "caspr")
    assert wheels.pop(".gitattributes")
    assert wheels == contents(copied / "claimwise-wheel")


def keep_in_mark(folder: Path) -> None:
    """Make the record of a build agree with what a test left of it."""
    mark = json.loads((folder / repositories.MARK).read_text())
    mark["files"] = {path: value for path, value in mark["files"].items() if (folder / path).is_file()}
    (folder / repositories.MARK).write_text(json.dumps(mark))


@pytest.mark.parametrize(
    "status", [401, pytest.param(403, marks=pytest.mark.slow), pytest.param(500, marks=pytest.mark.slow)]
)
def test_a_refusal_is_a_sentence_without_the_token(built: Path, server: LocalHub, status: int) -> None:
    server.refusal = status, f"Bearer {TOKEN} is not welcome"
    code, said = push(built, server.url, "--yes")
    assert code == 1
    assert f"the Hub answered {status} (Bearer … is not welcome)" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_without_a_network_the_remedy_is_said(built: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        code, said = push(built, f"http://127.0.0.1:{unused.getsockname()[1]}")
    assert code == 1
    assert "the Hub cannot be reached" in said
    assert len(said.splitlines()) == 1


@pytest.mark.slow
def test_only_what_was_built_for_a_namespace_is_uploaded(copied: Path, server: LocalHub) -> None:
    mark = json.loads((copied / repositories.MARK).read_text())
    (copied / repositories.MARK).write_text(json.dumps({**mark, "namespace": None}))
    code, said = push(copied, server.url, "--yes")
    assert code == 1
    assert "was built for use on this machine" in said
    assert "--namespace NAME" in said
    assert server.repositories == {}


def test_a_build_that_somebody_changed_is_not_uploaded(copied: Path, server: LocalHub) -> None:
    (copied / "spaces" / "caspr" / "passwords.txt").write_text("secret")
    code, said = push(copied, server.url, "--yes")
    assert code == 1
    assert "passwords.txt has changed since tools/hub.py build wrote it" in said
    assert server.repositories == {}


# A machine with the wheel and nothing of the clone ------------------------------------------------


class Machine:
    """A virtual environment with built wheels, the packages of this one, and an empty home folder."""

    def __init__(self, folder: Path, wheels: Iterable[Path]) -> None:
        venv.create(folder / "venv", with_pip=False)
        self.home = folder / "home"
        self.home.mkdir()
        self.python = folder / "venv" / "bin" / "python"
        packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
        # An editable claimwise here is not seen there: .pth files are read in site folders only.
        (packages / "packages_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
        install = [sys.executable, "-m", "pip", "--quiet", "--python", str(self.python), "install"]
        install += ["--no-deps", "--no-index", "--force-reinstall"]
        subprocess.run([*install, *map(str, wheels)], check=True)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("LANG", "OMP_NUM_THREADS") if name in os.environ}
        return kept | {
            "PATH": f"{self.python.parent}:/usr/bin:/bin",
            "HOME": str(self.home),
            "PYTHONPATH": "",
            "HF_HUB_OFFLINE": "1",
            "GRADIO_ANALYTICS_ENABLED": "False",
        }

    def run(self, *command: str) -> str:
        run = subprocess.run(
            command, env=self.environment, cwd=self.home, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def evaluated(self, program: str, **given: Any) -> Any:
        """Run a program that is given ``given`` and leaves its answer in ``answer``."""
        shown = (
            "import json, sys; given = json.loads(sys.argv[1])\n" + program + "\nprint(json.dumps(answer))"
        )
        return json.loads(self.run("python", "-c", shown, json.dumps(given)).splitlines()[-1])


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, complete: Path) -> Machine:
    return Machine(tmp_path_factory.mktemp("machine"), complete.glob("claimwise-wheel/*.whl"))


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    out = tmp_path_factory.mktemp("complete") / "out"
    data = os.environ.get("CLAIMWISE_DATA")
    repositories.build(out, wheels=[wheel], source=Path(data) if data else None)
    return out


@pytest.mark.slow
def test_wheel_is_what_the_machine_imports(machine: Machine) -> None:
    found = machine.evaluated("import claimwise; answer = claimwise.__file__")
    assert Path(found).is_relative_to(machine.python.parents[1])


@pytest.mark.slow
@each_metric
def test_built_space_is_a_module_of_evaluate(
    machine: Machine,
    complete: Path,
    metrics: dict[str, Metric],
    needed: dict[str, dict[str, Any]],
    name: str,
) -> None:
    program = """
import evaluate
metric = evaluate.load(given["folder"], **given["options"])
answer = metric.compute(**given["pairs"])"""
    result = machine.evaluated(
        program, folder=str(complete / "spaces" / name), options=needed.get(name, {}), pairs=PAIRS
    )
    expected = metrics[name].compute(**PAIRS)
    assert result.keys() == expected.keys()
    assert result[name] == pytest.approx(expected[name], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cocotrip", "opinion_nli"])
def test_built_data_set_is_read_by_datasets(machine: Machine, complete: Path, name: str) -> None:
    folder = complete / "datasets" / name
    if not folder.is_dir():
        pytest.skip("needs CLAIMWISE_DATA")
    configs = [config["config_name"] for config in RepoCard.load(folder / "README.md").data.configs]
    program = """
import datasets
answer = {c: datasets.load_dataset(given["folder"], c).num_rows for c in given["configs"]}"""
    rows = machine.evaluated(program, folder=str(folder), configs=configs)
    assert set(rows) == set(configs)
    assert all(count > 0 for splits in rows.values() for count in splits.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", [*repositories.PAGES, *METRICS])
def test_built_app_starts_and_shows_its_page(machine: Machine, complete: Path, name: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = machine.environment | {
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
    }
    folder = complete / "spaces" / name
    process = subprocess.Popen(
        [str(machine.python), "app.py"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    given_up = threading.Timer(300, process.kill)
    given_up.start()
    try:
        said: list[str] = []
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if f"127.0.0.1:{port}" in line:
                break
        else:
            pytest.fail("app.py ended:\n" + "".join(said))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/config") as answer:
            page = answer.read().decode()
        assert name in page
    finally:
        given_up.cancel()
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("name", [FRONT["title"], *METRICS])
def test_pip_takes_the_requirements_of_a_built_space(complete: Path, name: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "-r", "requirements.txt"]
    run = subprocess.run(command, cwd=complete / "spaces" / name, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.slow
def test_demo_of_the_installed_wheel_runs(machine: Machine, tmp_path: Path) -> None:
    shown = machine.run("claimwise", "demo", "--output", str(tmp_path / "map.html"))
    assert "caspr|version:" in shown
    assert (tmp_path / "map.html").stat().st_size > 1000
