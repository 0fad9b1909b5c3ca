"""The report on the summaries of several systems, with the embedded model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimwise.apps.cli import main
from claimwise.errors import ClaimwiseError
from claimwise.metrics import Abstractiveness, Complexity, Genericity, SupportCounts
from claimwise.nli import NLIModel
from claimwise.report.profile import MEASURES, profile_summaries, profile_table
from claimwise.report.results import system_names
from claimwise.stats import mean_difference

REVIEWS = [
    [
        "The pool is warm. We swam every day.",
        "The pool is warm.",
        "Breakfast was poor, but the pool is warm.",
    ],
    ["The waiter dropped our soup.", "The soup was cold and the waiter was rude."],
    ["The tram stops in front of the house.", "You can hear the tram at night."],
]
COPIED = [
    "The pool is warm.",
    "The soup was cold and the waiter was rude.",
    "You can hear the tram at night.",
]
INVENTED = [
    "Its casino never closes, although nobody plays.",
    "A string quartet plays on Sundays, but few listen.",
    "Two parrots greet you while you unpack.",
]


@pytest.fixture(scope="module")
def profile(nli_model: NLIModel) -> dict[str, Any]:
    return profile_summaries({"copied": COPIED, "invented": INVENTED}, REVIEWS, nli_model=nli_model)


def test_a_copy_is_supported_and_has_no_novel_words_and_an_invention_the_opposite(
    profile: dict[str, Any],
) -> None:
    copied, invented = profile["copied"], profile["invented"]
    assert copied["abstractiveness"]["value"] == 0
    assert invented["abstractiveness"]["value"] == 1
    assert copied["top_score"]["value"] > invented["top_score"]["value"]
    assert copied["complexity"]["scores"] == [0, 0, 0]
    assert invented["complexity"]["scores"] == [100, 100, 100]
    assert copied["length"]["scores"] == [4, 9, 7]
    assert sum(copied["support_percent"].values()) == pytest.approx(100)


def test_every_measure_has_an_interval_and_is_tested_against_the_first_system(
    profile: dict[str, Any],
) -> None:
    for measure in MEASURES:
        for of_system in profile.values():
            low, high = of_system[measure]["ci"]
            assert low <= of_system[measure]["value"] <= high
        assert "p_value" not in profile["copied"][measure]
        assert 0 <= profile["invented"][measure]["p_value"] <= 1


def test_the_table_names_every_measure_and_system(profile: dict[str, Any]) -> None:
    table = profile_table(profile)
    assert "| measure | copied | invented |" in table
    assert all(f"| {title} | " in table for title in MEASURES.values())


def test_the_table_tells_shares_percentages_and_claims_of_all_summaries_apart(
    profile: dict[str, Any],
) -> None:
    table = profile_table(profile)
    assert "| claims with 3+ supports, share | " in table
    assert "| novel 3-grams, share | 0 [" in table
    assert "| contrasting sentences, % | 0 [" in table
    for supports in ("0 supports", "1 support", "2 supports", "5+ supports"):
        assert f"| of all claims, those with {supports}, % | " in table
    assert "Means over the summaries, but for the top score, the claims with supports and genericity" in table


def test_a_profile_holds_what_score_prints_and_tests_that(nli_model: NLIModel) -> None:
    long = "The pool is warm. A string quartet plays. Two parrots greet you, but few listen. It is old."
    systems = {"one": [COPIED[0], long, COPIED[2]], "two": [long, COPIED[1], INVENTED[2]]}

    found = profile_summaries(systems, REVIEWS, nli_model=nli_model)

    metrics = {
        "support_counts": SupportCounts(nli_model=nli_model),
        "genericity": Genericity(nli_model=nli_model),
        "complexity": Complexity(),
        "abstractiveness": Abstractiveness(),
    }
    scored: dict[str, dict[str, Any]] = {}
    for name, summaries in systems.items():
        scored[name] = {}
        for metric in metrics.values():
            columns = {"predictions": summaries, "references": REVIEWS}
            scored[name] |= metric.compute(**columns, confidence_level=0.95, confidence_method="percentile")
        for measure in (*metrics, "top_score", "average_idf"):
            assert found[name][measure]["value"] == scored[name][measure]
        for measure in metrics:
            assert found[name][measure]["ci"] == scored[name][f"{measure}_ci"]
            assert found[name][measure].get("weights") == scored[name].get(f"{measure}_weights")
    for measure, weights in (("top_score", "support_counts"), ("complexity", "complexity")):
        one, two = (found[name][measure]["scores"] for name in systems)
        of_one, of_two = (scored[name][f"{weights}_weights"] for name in systems)
        test = mean_difference(one, two, of_one, of_two)
        assert found["two"][measure]["p_value"] == test.p_value
        assert test.difference == pytest.approx(
            found["one"][measure]["value"] - found["two"][measure]["value"]
        )


def test_systems_are_called_as_their_files_and_by_folder_where_these_are_alike() -> None:
    paths = [Path("A/out.jsonl"), Path("B/out.jsonl"), Path("C/lead.jsonl")]
    assert system_names(paths) == [str(Path("A/out")), str(Path("B/out")), "lead"]


@pytest.mark.parametrize("second", ["A/out.jsonl", "A/out.parquet"])
def test_two_files_that_would_be_called_alike_are_refused(second: str) -> None:
    with pytest.raises(ClaimwiseError, match=r"another file is called A.out too"):
        system_names([Path("A/out.jsonl"), Path(second)])


def test_one_summary_is_too_few(nli_model: NLIModel) -> None:
    with pytest.raises(ClaimwiseError, match="at least two"):
        profile_summaries({"one": COPIED[:1]}, REVIEWS[:1], nli_model=nli_model)


@pytest.mark.parametrize(
    ("systems", "message"),
    [({}, "No system to profile"), ({"short": COPIED[:2]}, "Unequal lengths: 3 sources, 2 short")],
)
def test_what_cannot_be_profiled_is_refused(systems: dict[str, list[str]], message: str) -> None:
    with pytest.raises(ClaimwiseError, match=message):
        profile_summaries(systems, REVIEWS)


def test_the_command_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for name, summaries in (("copied", COPIED), ("invented", INVENTED)):
        rows = [{"summary": s, "reviews": r} for s, r in zip(summaries, REVIEWS, strict=True)]
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(SystemExit) as stop:
        main(["profile", *map(str, files), "--out", str(tmp_path / "report")])
    assert stop.value.code == 0
    assert {path.name for path in (tmp_path / "report").iterdir()} == {
        "profile.json",
        "profile.md",
        "support.png",
    }
    assert set(json.loads((tmp_path / "report" / "profile.json").read_text())) == {"copied", "invented"}
    assert "words a summary" in capsys.readouterr().out


def test_files_about_other_reviews_cannot_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, review in (("one", "The pool is warm."), ("other", "The pool is cold.")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"summary": "A pool.", "reviews": [review]}))
    with pytest.raises(SystemExit) as stop:
        main(
            [
                "profile",
                str(tmp_path / "one.jsonl"),
                str(tmp_path / "other.jsonl"),
                "--out",
                str(tmp_path / "r"),
            ]
        )
    assert stop.value.code == 1
    assert "the rows have other reviews" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_files_about_other_entities_cannot_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"summary": "A pool.", "reviews": ["The pool is warm."]}
    files = [tmp_path / "one.jsonl", tmp_path / "other.jsonl"]
    for file, entity in zip(files, ("here", "there"), strict=True):
        file.write_text(json.dumps(row | {"entity": entity}))

    with pytest.raises(SystemExit) as stop:
        main(["profile", *map(str, files), "--entities", "entity", "--out", str(tmp_path / "r")])

    assert stop.value.code == 1
    assert "the rows have other reviews" in capsys.readouterr().err


def test_files_of_the_same_name_are_systems_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, summaries in (("A", COPIED), ("B", INVENTED)):
        rows = [{"summary": s, "reviews": r} for s, r in zip(summaries, REVIEWS, strict=True)]
        Path(folder).mkdir()
        Path(folder, "out.jsonl").write_text("\n".join(map(json.dumps, rows)))

    with pytest.raises(SystemExit) as stop:
        main(["profile", "A/out.jsonl", "B/out.jsonl", "--out", "report"])

    assert stop.value.code == 0
    found = json.loads(Path("report/profile.json").read_text())
    assert {name: system["abstractiveness"]["value"] for name, system in found.items()} == {
        str(Path("A/out")): 0,
        str(Path("B/out")): 1,
    }


@pytest.mark.parametrize(
    ("column", "option"), [("summary", "--reviews"), ("reviews", "--summaries"), ("text", "--summaries")]
)
def test_a_missing_column_names_the_option_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str, option: str
) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps({column: "The pool is warm."}))
    with pytest.raises(SystemExit) as stop:
        main(["profile", str(file), "--out", str(tmp_path / "r")])
    assert stop.value.code == 1
    assert f"Name the column with {option}." in capsys.readouterr().err
