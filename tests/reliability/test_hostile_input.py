"""Hostile input: whatever is given, it is refused with a ClaimwiseError or scored within bounds.

``HYPOTHESIS_PROFILE=large`` (``make test-all``) tries a thousand examples of each kind instead of a hundred.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st
from pyarrow import parquet
from tiny_checkpoints import CORPUS

from claimwise.errors import ClaimwiseError
from claimwise.judges import NLIModel
from claimwise.llm.completion import UnusableAnswerError, read_completion
from claimwise.metrics import (
    METRICS,
    Abstractiveness,
    Caspr,
    Complexity,
    DistinctivenessScore,
    Genericity,
    InvertedBertscore,
    Metric,
    OpinionPrevalence,
    Pyramid,
    Ssas,
    SummacConv,
    SummacZs,
    SupportCounts,
)
from claimwise.tables import read_columns

BOUNDS = {
    "abstractiveness": (0, 1),
    "caspr": (0, 100),
    "complexity": (0, 100),
    "distinctiveness_score": (0, 100),
    "genericity": (-1, 1),
    "inverted_bertscore": (0, 100),
    "opinion_prevalence": (0, 1),
    "pyramid": (0, 1),
    "ssas": (-1, 1),
    "summac_conv": (0, 1),
    "summac_zs": (0, 1),
    "support_counts": (0, 1),
}
WANTED = [["predictions"], ["references"]]


# ---------------------------------------------------------------------------------------------
# Texts
# ---------------------------------------------------------------------------------------------

any_character = st.characters(categories=["L", "M", "N", "P", "S", "Z", "C"])  # surrogates and controls too
pieces = st.sampled_from(
    [
        *CORPUS,
        "The pool is warm, but the bar isn't open",
        ". ",
        "?!",
        "\n\n",
        "\r",
        "\0",
        "\x1b[31m",
        "\ufeff",
        "\u202e",
        "\u2028",
        "e\u0301" * 30,
        "😀👍🏽",
        "مكان رائع",
        "部屋は清潔です。",
        "<script>alert(1)</script>",
        "' OR 1=1 --",
        "{0.__class__}%s$(x)",
        "[SEP] [CLS] </s>",
        "a" * 3_000,
        "no " * 2_000,
        "(" * 1_000,
    ]
)
joined = st.lists(pieces, min_size=1, max_size=6).map("".join)
texts = st.one_of(joined, joined, joined, st.text(), st.text(any_character))
wrong_cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.binary(),
    st.dictionaries(st.text(), st.text(), max_size=2),
    st.lists(st.lists(st.text(), max_size=2), max_size=2),
    st.builds(object),
)
mostly_texts = st.one_of(texts, texts, texts, wrong_cells)
sources = st.one_of(mostly_texts, st.lists(mostly_texts, max_size=3))


@st.composite
def columns(draw: st.DrawFn) -> dict[str, Any]:
    """Draw predictions and references: texts, texts among other things, or anything."""
    number = draw(st.integers(1, 3))
    prediction, reference = draw(
        st.sampled_from([(texts, texts), (texts, texts), (texts, sources), (mostly_texts, mostly_texts)])
    )
    columns: dict[str, Any] = {
        "predictions": draw(st.lists(prediction, min_size=number, max_size=number)),
        "references": draw(st.lists(reference, min_size=number, max_size=number)),
    }
    if draw(st.sampled_from([False, False, False, True])):
        name = draw(st.sampled_from(["predictions", "references"]))
        columns[name] = draw(st.one_of(wrong_cells, texts, st.lists(mostly_texts)))
    return columns


@pytest.fixture(scope="module")
def checkpoint(tiny_encoder: Path) -> Path:
    return tiny_encoder


@pytest.fixture(scope="module")
def model(checkpoint: Path) -> NLIModel:
    return NLIModel.from_pretrained(checkpoint, device="cpu", dtype="float32", show_progress=False)


@pytest.fixture(scope="module")
def metrics(checkpoint: Path, model: NLIModel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Metric]:
    """Every metric, on a tiny model."""
    weights = tmp_path_factory.mktemp("conv") / "weights.safetensors"
    SummacConv(judge=model).fit(
        predictions=CORPUS, references=CORPUS[::-1], labels=[1, 0, 1, 0], output=weights, steps=5
    )
    made = [
        Abstractiveness(),
        Caspr(judge=model),
        Complexity(),
        DistinctivenessScore(),
        Genericity(judge=model),
        InvertedBertscore(encoder=str(checkpoint), layer=2, device="cpu"),
        OpinionPrevalence(judge=model),
        Pyramid(judge=model),
        Ssas(judge=model),
        SummacConv(judge=model, weights=str(weights)),
        SummacZs(judge=model),
        SupportCounts(judge=model, support="sentences"),
    ]
    return {metric.name: metric for metric in made}


def refusal_or(call: Callable[[], Any]) -> Any:
    """Return what ``call`` returns, or the message of the ClaimwiseError that it raises."""
    try:
        return call()
    except ClaimwiseError as refusal:
        return str(refusal)


def test_every_metric_is_tried() -> None:
    assert {*BOUNDS} == {*METRICS}


@pytest.mark.parametrize("name", METRICS)
@given(columns=columns())
def test_whatever_is_given_is_refused_with_its_row_or_scored_within_bounds(
    metrics: dict[str, Metric], name: str, columns: dict[str, Any]
) -> None:
    result = refusal_or(lambda: metrics[name].compute(**columns, details=True))

    if isinstance(result, str):
        assert re.search(
            r"row \d|expected a list|Unequal lengths|no rows|needs at least two|the column is missing", result
        )
        assert len(result) < 1_000
        return
    event("scored")
    low, high = BOUNDS[name]
    assert len(result[f"{name}_scores"]) == len(columns["predictions"])
    assert all(low <= score <= high for score in [result[name], *result[f"{name}_scores"]])
    assert json.loads(json.dumps(result, allow_nan=False)) == result


@given(premise=st.text() | joined, hypothesis=st.text() | joined)
@example(premise="", hypothesis="")
def test_the_model_scores_any_pair_of_texts_or_refuses_it(
    model: NLIModel, premise: str, hypothesis: str
) -> None:
    scores = refusal_or(lambda: model.predict([premise], [hypothesis]))

    if isinstance(scores, str):
        assert "Pair 0" in scores
        return
    assert scores.shape == (1, 3)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores.sum() == pytest.approx(1, abs=1e-5)


def test_the_model_refuses_half_of_a_surrogate_pair_with_its_row(model: NLIModel) -> None:
    with pytest.raises(ClaimwiseError, match="Pair 1, premise"):
        model.predict(["The pool is warm.", "\ud800"], ["The pool is warm."] * 2)
    with pytest.raises(ClaimwiseError, match="Example 1, hypothesis 0"):
        model.matrices([(["The pool is warm."], ["It is."]), (["The pool is warm."], ["\ud800"])])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda values: (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "refusal", "finish_reason", "error"]), values
        )
    ),
)


@given(json_values)
def test_whatever_an_endpoint_answers_is_a_text_or_unusable(reply: object) -> None:
    try:
        answer = read_completion(reply).whole_text
    except UnusableAnswerError:
        return

    assert answer.strip()


# ---------------------------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def read(path: Path) -> list[list[Any]] | str:
    """Return the two columns of a file, or the refusal, which must be one line that names the file."""
    found = refusal_or(lambda: read_columns(path, WANTED))
    if isinstance(found, str):
        assert str(path) in found
        assert len(found.splitlines()) == 1
        assert len(found) < 2_000 + len(str(path))
        return found
    assert len(found) == 2
    assert len(found[0]) == len(found[1]) > 0
    return found


def as_csv(cells: list[tuple[str, str]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([("predictions", "references"), *cells])
    return out.getvalue().encode()


def as_jsonl(cells: list[tuple[str, str]]) -> bytes:
    return b"".join(
        json.dumps({"predictions": a, "references": b}, ensure_ascii=False).encode() + b"\n" for a, b in cells
    )


def as_parquet(cells: list[tuple[str, str]]) -> bytes:
    out = io.BytesIO()
    table = pyarrow.table({"predictions": [a for a, _ in cells], "references": [b for _, b in cells]})
    parquet.write_table(table, out)
    return out.getvalue()


WRITERS = {"csv": as_csv, "jsonl": as_jsonl, "parquet": as_parquet}
every_format = pytest.mark.parametrize("kind", WRITERS)
some_cells = st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4)


@every_format
@given(cells=some_cells)
def test_every_text_is_read_as_it_was_written(folder: Path, kind: str, cells: list[tuple[str, str]]) -> None:
    path = folder / f"written.{kind}"
    path.write_bytes(WRITERS[kind](cells))

    assert read(path) == [[a for a, _ in cells], [b for _, b in cells]]


@every_format
@given(cells=some_cells, data=st.data())
def test_a_file_with_any_bytes_overwritten_is_read_or_refused(
    folder: Path, kind: str, cells: list[tuple[str, str]], data: st.DataObject
) -> None:
    path = folder / f"overwritten.{kind}"
    content = bytearray(WRITERS[kind](cells))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, len(content)))
        content[start:end] = data.draw(st.binary(max_size=8))
    path.write_bytes(content)

    read(path)


jsonl_lines = st.one_of(
    st.fixed_dictionaries({"predictions": json_values, "references": json_values}).map(json.dumps),
    json_values.map(json.dumps),
    st.sampled_from(
        ["", "{", '{"predictions": ', "NaN", "[" * 10_000, '{"a": ' * 10_000, "9" * 5_000, '"\\ud800"']
    ),
)


@given(st.lists(jsonl_lines, max_size=4))
def test_jsonl_with_broken_lines_is_read_or_refused_with_its_line(folder: Path, lines: list[str]) -> None:
    path = folder / "broken.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")

    found = read(path)

    if isinstance(found, str):
        assert re.search(r"(line|row) \d+:|no rows|no column|JSON list", found)


csv_cells = st.one_of(
    st.text(max_size=5), st.sampled_from(['"', '""', '"a', "a,b", "\n", "\r", "\r\n", "\0", "'"])
)


@given(st.lists(st.lists(csv_cells, max_size=4).map(",".join), max_size=5))
def test_csv_with_stray_quotes_and_line_breaks_is_read_or_refused(folder: Path, lines: list[str]) -> None:
    path = folder / "stray.csv"
    path.write_text("\n".join(["predictions,references", *lines]), encoding="utf-8", newline="")

    read(path)


@given(
    st.lists(
        st.tuples(st.none() | st.text(), st.none() | st.lists(st.none() | st.text(), max_size=3)),
        min_size=1,
        max_size=4,
    )
)
def test_parquet_with_nulls_and_lists_is_read_as_it_was_written(folder: Path, cells: list[Any]) -> None:
    path = folder / "nulls.parquet"
    predictions, references = [a for a, _ in cells], [b for _, b in cells]
    table = pyarrow.table(
        {
            "predictions": pyarrow.array(predictions, pyarrow.string()),
            "references": pyarrow.array(references, pyarrow.list_(pyarrow.string())),
        }
    )
    parquet.write_table(table, path)

    assert read(path) == [predictions, references]


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ([1, 2], ""),
        ([{"a": "x"}, None], ""),
        ([[["x"]], [["y"]]], "claim 0: "),
        ([b"x", b"\xff"], ""),
        ([True, False], ""),
        ([1.5, float("nan")], ""),
    ],
    ids=["integers", "structs", "nested lists", "bytes", "booleans", "floats"],
)
def test_parquet_with_other_types_is_refused_with_its_row(
    tmp_path: Path, metrics: dict[str, Metric], values: list[Any], where: str
) -> None:
    path = tmp_path / "types.parquet"
    parquet.write_table(pyarrow.table({"predictions": values, "references": ["x", "y"]}), path)

    predictions, references = read_columns(path, WANTED)

    with pytest.raises(ClaimwiseError, match=f"predictions, row 0: {where}expected a string"):
        metrics["caspr"].compute(predictions=predictions, references=references)


# Paths --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["two words.csv", "naïve 部屋.csv", "-rf.csv", "a'b\"c;$(x).csv", "%s{0}.csv", ".csv.csv"]
)
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(as_csv([("a", "b")]))

    assert read(path) == [["a"], ["b"]]


def test_a_link_is_followed_and_keeps_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(as_csv([("a", "b")]))
    (tmp_path / "link.csv").symlink_to("data.bin")

    assert read(tmp_path / "link.csv") == [["a"], ["b"]]


@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("what", ["folder", "dangling", "loop", "long", "zero byte"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str, what: str) -> None:
    path = tmp_path / f"x{kind}"
    if what == "folder":
        path.mkdir()
    elif what == "dangling":
        path.symlink_to("nowhere")
    elif what == "loop":
        path.symlink_to(path.name)
    elif what == "long":
        path = tmp_path / ("x" * 5_000 + kind)
    else:
        path = tmp_path / f"\0{kind}"

    assert isinstance(read(path), str)


# Sizes --------------------------------------------------------------------------------------------


def test_rows_with_keys_of_their_own_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        "".join(f'{{"predictions": "a", "references": "b", "key {i}": {i}}}\n' for i in range(5_000))
    )

    assert read(path) == [["a"] * 5_000, ["b"] * 5_000]


# ---------------------------------------------------------------------------------------------
# Checkpoints that carry code
# ---------------------------------------------------------------------------------------------


class _Payload:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mknod, (str(self.path),)


LOADERS = {
    "judge": "claimwise.load('caspr', judge={folder!r}, device='cpu').load()",
    "encoder": "claimwise.load('inverted_bertscore', encoder={folder!r}, layer=1, device='cpu').load()",
    "weights": "claimwise.load('summac_conv', weights={weights!r}, device='cpu').load()",
}


def load_in_process(option: str, folder: Path) -> str:
    """Return the refusal to load ``folder`` in a process whose user says yes to everything."""
    load = LOADERS[option].format(folder=str(folder), weights=str(folder / "pytorch_model.bin"))
    script = f"""if True:
        import claimwise
        try:
            {load}
        except claimwise.ClaimwiseError as refusal:
            print(refusal)
        """
    done = subprocess.run(
        [sys.executable, "-c", script], input="y\n" * 99, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("option", LOADERS)
def test_a_pickle_is_refused_and_never_run(checkpoint: Path, tmp_path: Path, option: str) -> None:
    folder, ran = tmp_path / "pickled", tmp_path / "ran"
    shutil.copytree(checkpoint, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(_Payload(ran)))

    refusal = load_in_process(option, folder)

    assert str(folder) in refusal
    assert "safetensors" in refusal
    assert not ran.exists()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["judge", "encoder"])
def test_code_of_a_checkpoint_is_never_run_nor_offered(checkpoint: Path, tmp_path: Path, option: str) -> None:
    folder, ran = tmp_path / "with-code", tmp_path / "ran"
    shutil.copytree(checkpoint, folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "surprise",
        "auto_map": {
            "AutoConfig": "code.Config",
            "AutoModel": "code.Model",
            "AutoModelForSequenceClassification": "code.Model",
            "AutoTokenizer": ["code.Tokenizer", None],
        },
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "code.py").write_text(
        f"open({str(ran)!r}, 'w').close()\n"
        "from transformers import BertConfig as Config, BertForSequenceClassification as Model\n"
        "from transformers import BertTokenizer as Tokenizer\n"
    )

    refusal = load_in_process(option, folder)

    assert str(folder) in refusal
    assert "claimwise never runs" in refusal
    assert "trust_remote_code" not in refusal
    assert not ran.exists()
