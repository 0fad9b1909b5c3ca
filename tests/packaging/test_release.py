"""What a release is made of: workflows, one version, a wheel that is as described."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import claimwise
from claimwise.metrics import METRICS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / ".github").is_dir(), reason="workflows are not in the sdist")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][\w-]*)(?=:)", text, re.MULTILINE))


@each_workflow
def test_workflows_give_targets_that_the_makefile_has(path: Path) -> None:
    given = {name for step in steps(path) for name in re.findall(r"\bmake ([\w-]+)", step.get("run", ""))}
    assert given
    assert given <= targets()


@each_workflow
def test_actions_are_named_by_version_and_read_nothing_they_need_not(path: Path) -> None:
    for step in steps(path):
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+(\.\d+)*", step["uses"])
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_only_the_job_that_uploads_may_ask_for_an_identity() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]
    allowed = [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})]
    assert allowed == ["publish"]
    assert jobs["publish"]["environment"] == "pypi"
    assert [step["uses"].partition("@")[0] for step in jobs["publish"]["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]


def test_dependabot_and_forms_are_valid() -> None:
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    assert {update["package-ecosystem"] for update in updates} == {"github-actions", "pip"}
    for form in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        content = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert form.stem == "config" or {"name", "description", "body"} <= set(content)


def test_there_is_one_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", claimwise.__version__)
    assert "version = attr: claimwise.__version__" in (ROOT / "setup.cfg").read_text(encoding="utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == claimwise.__version__
    import claimwise_summarize

    assert claimwise_summarize.__version__ == claimwise.__version__
    assert f"claimwise=={claimwise.__version__}\n" in (
        ROOT / "packages" / "claimwise-summarize" / "setup.cfg"
    ).read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (Unreleased|\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    assert headings[0] in ("Unreleased", claimwise.__version__)
    assert claimwise.__version__ in headings


def test_the_citation_names_the_papers_of_all_metrics() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    cited = {(paper["title"], paper["year"]): paper["authors"] for paper in citation["references"]}
    papers = "\n".join(metric.spec.citation for metric in METRICS.values())
    titles = re.findall(r"^  title = \{(.*)\},$", papers, re.MULTILINE)
    years = re.findall(r"^  year = \{(\d+)\}", papers, re.MULTILINE)
    named = {(re.sub("[{}]", "", title), int(year)) for title, year in zip(titles, years, strict=True)}
    assert named <= cited.keys()
    assert all(author["family-names"] for authors in cited.values() for author in authors)
    assert {"abstract", "authors", "keywords", "license", "message", "title", "version"} <= citation.keys()


def try_step_of_the_release(name: str, tag: str, folder: Path) -> int:
    """Run a step of the workflow as GitHub would for a tag, and return its exit status."""
    (step,) = (step for step in steps(ROOT / ".github/workflows/release.yml") if step.get("name") == name)
    environment = {"GITHUB_REF_NAME": tag, "PATH": "/usr/bin:/bin"}
    return subprocess.run(["bash", "-c", step["run"]], cwd=folder, env=environment).returncode


def test_the_release_knows_the_version_of_the_source() -> None:
    assert try_step_of_the_release("The tag is the version", f"v{claimwise.__version__}", ROOT) == 0
    assert try_step_of_the_release("The tag is the version", "v99.0.0", ROOT) != 0


@pytest.mark.parametrize(
    ("heading", "passes"),
    [
        ("## 1.2.0 (2027-01-31)", True),
        ("## 1.2.0 (unreleased)", False),
        ("## Unreleased", False),
        ("## 1.1.0 (2027-01-31)", False),
    ],
)
def test_the_release_wants_a_changelog_with_the_day(tmp_path: Path, heading: str, passes: bool) -> None:
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n", encoding="utf-8")

    status = try_step_of_the_release("The changelog names the version and its day", "v1.2.0", tmp_path)

    assert (status == 0) is passes


def test_links_of_the_readme_become_absolute() -> None:
    spec = importlib.util.spec_from_file_location("links", ROOT / ".github" / "absolute_links.py")
    assert spec
    assert spec.loader
    links = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(links)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    text = links.absolute(readme, "https://example.org/o/claimwise", "v1.0.0")

    assert "](https://example.org/o/claimwise/raw/v1.0.0/docs/figures/pipeline.svg)" in text
    assert "](https://example.org/o/claimwise/blob/v1.0.0/docs/compare.md)" in text
    assert re.findall(r"\]\((?!https?:|#)", text) == []


@pytest.mark.slow
def test_the_wheel_is_what_the_table_says(wheel: Path) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("<!-- wheel:")[2]
    rows = re.findall(r"^\| (.+?) \|.*\| ([\d.]+) MB \| ([\d.]+) MB \|$", page, re.MULTILINE)
    shown = {name.strip("`"): (float(packed), float(unpacked)) for name, packed, unpacked in rows}
    packed: Counter[str] = Counter()
    unpacked: Counter[str] = Counter()
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
        for file in archive.infolist():
            part = "/".join(file.filename.split("/")[:2])
            part = part if part in shown else "everything else"
            packed[part] += file.compress_size
            unpacked[part] += file.file_size
    for part, (of_packed, of_unpacked) in shown.items():
        assert packed[part] / 1e6 == pytest.approx(of_packed, abs=0.1), part
        assert unpacked[part] / 1e6 == pytest.approx(of_unpacked, abs=0.1), part
    assert sum(packed.values()) < 90e6  # PyPI takes 100 MB
    assert [file for file in files if file.startswith("claimwise/data/cards/")] == [
        "claimwise/data/cards/README.md",
        "claimwise/data/cards/__init__.py",
    ]
    assert not [file for file in files if re.search("opinion_(nli|claims)|source_nli|own_data", file)]


def test_the_metadata_asks_for_nothing_that_pypi_refuses() -> None:
    config = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    assert " @ " not in config  # a direct address
    assert "Private ::" not in config
