"""``claimwise list``: everything that is installed, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Run

from claimwise.metrics import METRICS
from claimwise.plugins import registered

KINDS = ["metrics", "judges", "decomposers", "summarizers"]


def names_in(shown: str) -> list[str]:
    """Return the first word of every indented line that begins an entry."""
    return [line.split()[0] for line in shown.splitlines() if line[:2] == "  " and line[2:3].strip()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_registered_name_is_listed_once(run: Run, kind: str) -> None:
    assert names_in(run("list", kind).out) == registered(f"claimwise.{kind}")


def test_without_a_kind_all_are_listed(run: Run) -> None:
    shown = run("list").out
    assert names_in(shown) == [*(n for kind in KINDS for n in registered(f"claimwise.{kind}")), "cocotrip"]
    assert METRICS["caspr"].spec.question in shown
    assert "`" not in shown


def test_parts_of_other_packages_are_listed_even_if_they_cannot_be_imported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "commas_listed.py").write_text(
        'class AtCommas:\n    """Splits sentences at commas.\n\n    Nothing else."""\n'
    )
    folder = tmp_path / "commas-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: commas\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[claimwise.decomposers]\nat_commas = commas_listed:AtCommas\nat_commas_too = commas_listed:Lost\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    done = run("list", "decomposers")

    assert done.code == 0
    assert {"at_commas", "at_commas_too", "openai"} <= {*names_in(done.out)}
    assert "at_commas Splits sentences at commas. at_commas_too" in " ".join(done.out.split())
    assert "cannot be imported" in done.out
