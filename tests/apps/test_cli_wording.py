"""Messages on the command line: one prefix, and flags wherever Python has keyword arguments."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import rich_click as click
from click.testing import CliRunner
from command import Run

from claimwise.apps.cli.options import Command, flags
from claimwise.errors import ClaimwiseError, ClaimwiseWarning, warn
from claimwise.judges.options import JudgeOptions
from claimwise.text.options import DecomposerOptions

FILES = {
    "pairs.csv": "id,summary_a,summary_b\n1,A pool.,No pool.\n2,It is big.,It is small.\n3,A bar.,No bar.\n",
    "reviews.csv": "id,summary,reviews\n1,A pool.,There is a pool.\n2,A bar.,The bar was fun.\n",
    "again.csv": "id,summary,reviews\n1,A pool.,There is a pool.\n2,No bar.,The bar was fun.\n",
    "twice.csv": "id,summary,reviews\n1,A pool.,There is a pool.\n1,A bar.,The bar was fun.\n",
    "long.csv": "hotel,review\nA,There is a pool.\nA,Nice staff.\n",
    "hotels.csv": "hotel,summary\nA,A pool.\nB,Kind staff.\n",
    "systems.csv": "system,summary\nx,A pool.\n,A bar.\n",
    "other.csv": "a,b\nx,y\n",
    "empty.csv": "",
    "header.csv": "summary_a,summary_b\n",
    "blank.csv": "summary_a,summary_b\nA pool.,\nA bar.,No bar.\n",
    "missing_value.csv": "summary_a,summary_b\nnan,No pool.\n",
    "ragged.csv": "summary_a,summary_b\nA pool,No pool,Why?\n",
    "cut.jsonl": '{"summary_a": "A pool.", "summary_b": "No pool."}\n{"summary_a":\n',
    "number.jsonl": '{"summary_a": 3, "summary_b": "No pool."}\n',
    "object.json": '{"summary_a": "A pool."}',
    "result.json": json.dumps({"summac_zs": 0.5}),
    "notes.txt": "A pool.\n",
}

WRONG = [
    # command, exit code, words of the message
    ("scor caspr pairs.csv", 2, ["score", "--help"]),
    ("score caspr", 2, ["FILE", "score --help"]),
    ("score caspr pairs.csv --jugde default", 2, ["--jugde", "--judge"]),
    ("score caspr pairs.csv --workers 0", 2, ["--workers"]),
    ("score casper pairs.csv", 1, ["casper", "caspr", "summac_zs"]),
    ("score caspr pairs.csv --config papr", 1, ["papr", "paper", "default"]),
    ("score caspr none.csv", 1, ["none.csv"]),
    ("score caspr notes.txt", 1, ["notes.txt", ".csv", ".parquet"]),
    ("score caspr other.csv", 1, ["other.csv", "summary_a", "--summary"]),
    ("score caspr pairs.csv --summary text", 1, ["pairs.csv", "text", "--summary"]),
    ("score caspr empty.csv", 1, ["empty.csv"]),
    ("score caspr header.csv", 1, ["header.csv"]),
    ("score caspr blank.csv", 1, ["blank.csv, summary_b, line 2", "--on-error row"]),
    ("score caspr missing_value.csv", 1, ["missing_value.csv, summary_a, line 2"]),
    ("score caspr ragged.csv", 1, ["ragged.csv, line 2"]),
    ("score caspr cut.jsonl", 1, ["cut.jsonl, line 2"]),
    ("score caspr number.jsonl", 1, ["number.jsonl, summary_a, line 1"]),
    ("score caspr object.json", 1, ["object.json"]),
    ("score caspr pairs.csv --id", 2, ["--id", "score --help"]),
    ("score caspr pairs.csv --ci 95", 2, ["--ci takes no value", "--confidence-level"]),
    ("score distinctiveness_score pairs.csv --seed -1", 1, ["--seed must be a whole number of at least 0"]),
    ("score distinctiveness_score pairs.csv --map m.pdf", 1, ["m.pdf", ".html"]),
    ("score distinctiveness_score pairs.csv --map m --output m", 1, ["named for two outputs"]),
    ("score pyramid pairs.csv --reference summary_b --unit-weights id", 1, ["no units"]),
    ("score support_counts reviews.csv --option count_distinct_reviews=true", 1, ["support=sentences"]),
    ("study pairs.csv reviews.csv --output s", 1, ["`summary_a` in pairs.csv, `summary` in reviews.csv"]),
    ("study reviews.csv again.csv --output s --human id --positive x --id id", 1, ["--positive", "“x”"]),
    ("score caspr pairs.csv --judge nope:foo", 1, ["nope:foo", "--judge"]),
    ("score caspr pairs.csv --judge tei:host", 1, ["--judge", "http://"]),
    ("score caspr pairs.csv --judge openai:gpt", 1, ["--judge", "--judge-option api_key_env=…"]),
    ("score caspr pairs.csv --config paper", 1, ["OPENAI_API_KEY", "-option api_key_env=…"]),
    ("score caspr pairs.csv --device cuda", 1, ["--device", "cpu"]),
    ("score caspr pairs.csv --dtype float99", 1, ["--dtype", "float99", "float32"]),
    ("score caspr pairs.csv --pairs some", 1, ["--pairs", "likely"]),
    ("score caspr pairs.csv --label-order a,b", 1, ["--label-order"]),
    ("score caspr pairs.csv --judge-option colour=red", 1, ["--judge-option colour=…", "label_order"]),
    ("score caspr pairs.csv --judge-option colour", 1, ["--judge-option colour", "name=value"]),
    ("score caspr pairs.csv --option judge_weights=[1]", 1, ["--option judge_weights", "--judge"]),
    ("score caspr pairs.csv --splitter foo", 1, ["foo", "sentencex"]),
    ("score caspr pairs.csv --decomposer foo", 1, ["--decomposer", "foo", "sentences"]),
    ("score caspr pairs.csv --pronouns maybe", 1, ["--pronouns", "sentence"]),
    ("score caspr pairs.csv --source reviews", 1, ["--source", "--summary, --other"]),
    ("score caspr pairs.csv --entities id", 1, ["--entities", "--summary, --other"]),
    ("score caspr pairs.csv --tokenizer words", 1, ["option --tokenizer", "splitter"]),
    ("score support_counts reviews.csv --option threshold=2", 1, ["--option threshold", "2"]),
    ("score summac_conv reviews.csv --option bins=even50", 1, ["--option weights=…", "even50"]),
    ("score inverted_bertscore pairs.csv --layer 99", 1, ["--layer"]),
    ("score caspr pairs.csv --runner spark", 1, ["--runner", "ray"]),
    ("score caspr pairs.csv --num-gpus 1", 1, ["--num-gpus", "--runner ray"]),
    ("score caspr pairs.csv --on-error skip", 1, ["--on-error", "row"]),
    ("score caspr pairs.csv --confidence-level 95", 1, ["--confidence-level", "95"]),
    ("score caspr pairs.csv --output out.txt", 1, ["out.txt", ".jsonl"]),
    ("score caspr pairs.csv --delimiter ab", 1, ["--delimiter", "ab"]),
    ("score caspr pairs.csv --id code", 1, ["pairs.csv", "code", "--id"]),
    ("score caspr pairs.csv --system model", 1, ["pairs.csv", "model", "--system"]),
    ("score summac_zs systems.csv --system system", 1, ["systems.csv, system, row 2"]),
    ("score summac_zs hotels.csv --reviews long.csv", 1, ["--by"]),
    ("score summac_zs hotels.csv --reviews long.csv --by town", 1, ["town", "--by"]),
    (
        "score summac_zs hotels.csv --reviews long.csv --by hotel",
        1,
        ["hotels.csv, hotel, line 3", "long.csv"],
    ),
    ("score genericity hotels.csv --entities town", 1, ["town", "--entities"]),
    ("compare caspr none.json result.json", 1, ["none.json"]),
    ("compare caspr result.json result.json", 1, ["result.json", "caspr"]),
    ("compare caspr result.json pairs.csv --method t", 1, ["result.json"]),
    ("report pairs.csv --output report.html", 1, ["pairs.csv", "claimwise score"]),
    ("study reviews.csv --output out", 1, ["--system COLUMN"]),
    ("study reviews.csv twice.csv --output out --metrics rouge", 1, ["--metrics", "rouge", "caspr"]),
    ("study reviews.csv twice.csv --output out --id id", 1, ["twice.csv, ids, line 3", "--by"]),
    ("study reviews.csv twice.csv --output out --human stars", 1, ["reviews.csv", "stars", "--human"]),
    (
        "study reviews.csv twice.csv --output out --column units=u",
        1,
        ["reviews.csv", "u", "--column units=…"],
    ),
    (
        "study reviews.csv twice.csv --output out --baseline x --metrics complexity",
        1,
        ["--baseline", "twice"],
    ),
    ("explain caspr 'A pool.'", 1, ["summary", "last argument"]),
    ("explain caspr pairs.csv pairs.csv", 1, ["pairs.csv", "claimwise score caspr pairs.csv"]),
    ("explain caspr '' 'No pool.'", 1, ["summary A"]),
    ("explain caspr 'A pool.' 'No pool.' --output map.txt", 1, ["map.txt", ".html"]),
    ("judges test nope:foo", 1, ["nope:foo", "JUDGE"]),
    ("judges agree pairs.csv --judge default", 1, ["--judge"]),
    ("list everything", 2, ["KIND", "metrics", "list --help"]),
    ("data build nothing --output out", 2, ["NAME", "cocotrip"]),
    ("data build cocotrip --output pairs.csv", 1, ["pairs.csv", "--output"]),
    ("data build cocotrip --output out --source .", 1, ["--source", "anno.json"]),
    ("evaluate install rouge", 1, ["rouge", "caspr"]),
]


@pytest.mark.parametrize(("command", "code", "said"), WRONG, ids=[command for command, *_ in WRONG])
def test_a_wrong_command_is_answered_in_words_of_the_command_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, code: int, said: list[str]
) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    done = run(*[argument.strip("'") for argument in re.findall(r"'[^']*'|\S+", command)])

    assert done.code == code
    assert done.err.startswith("claimwise: ")
    assert done.err.count("claimwise: ") == 1
    assert all(words in done.err for words in said), done.err
    keywords = re.findall(
        r"(?<![\w-])(?<!-option )[a-z_]+=(?!value)", re.sub(r"\w+\([^)]*\)|http\S+", "", done.err)
    )
    assert keywords == [word for word in ["units="] if "--column units" in done.err]
    assert not {path.name for path in tmp_path.iterdir()} - FILES.keys()


def say(problem: str, remedy: str = "", *arguments: str, **where: str) -> str:
    """Return how a small command words an error."""

    @click.command(cls=Command, groups=(JudgeOptions, DecomposerOptions), further=True)
    @click.argument("file", required=False)
    @flags("Run", ("--on-error", "What to do."), ("--details", "More.", bool), (["--id", "ids"], "Column."))
    def small(options: dict[str, object], **_: object) -> None:
        warn(f"{problem} {remedy}".strip())
        raise ClaimwiseError(problem, remedy, **where)

    with pytest.warns(ClaimwiseWarning):
        return str(CliRunner().invoke(small, arguments).exception)


@pytest.mark.parametrize(
    ("python", "flag"),
    [
        ("judge=", "--judge"),
        ("judge='mnli'", "--judge mnli"),
        ('judge="a folder"', "--judge 'a folder'"),
        ("`judge='mnli'`", "`--judge mnli`"),
        ("judge='mnli',", "--judge mnli,"),
        ("label_order=['a', 'b']", "--label-order a,b"),
        ("ids=COLUMN", "--id COLUMN"),
        ("details=True", "--details"),
        ("on_error='row'", "--on-error row"),
        ("file='a.csv'", "a.csv as FILE"),
        ("threshold=0.5.", "--option threshold=0.5."),
        ("bins=", "--option bins=…"),
        ("max_tokens_per_batch=…", "--option max_tokens_per_batch=…"),
        ("judge_weights=[1, 2]", "--option judge_weights=[1, 2]"),
        ("timeout=", "--judge-option timeout=… or --decomposer-option timeout=…"),
        ("df.to_json(path, orient='records')", "df.to_json(path, orient='records')"),
        ("--judge-option api_key_env=NAME", "--judge-option api_key_env=NAME"),
    ],
)
def test_a_keyword_argument_becomes_a_flag_in_problem_and_remedy(python: str, flag: str) -> None:
    assert say(f"Not with {python}", f"Leave out {python}") == f"Not with {flag} Leave out {flag}"


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        ((), "--judge-option timeout=… or --decomposer-option timeout=…"),
        (("--decomposer", "sentences", "--judge", "tei:http://h"), "--judge-option timeout=…"),
        (("--option", "timeout=3"), "--option timeout=…"),
    ],
)
def test_an_option_of_a_server_is_an_option_of_what_has_a_server(
    arguments: tuple[str, ...], flag: str
) -> None:
    assert say("It is slow.", "Raise timeout=.", *arguments) == f"It is slow. Raise {flag}."


def test_an_error_about_the_decomposer_offers_options_of_the_decomposer() -> None:
    told = say("It is slow.", "Raise timeout=.", "--judge", "tei:http://h", option="decomposer")

    assert told == "--decomposer: It is slow. Raise --decomposer-option timeout=…."


@pytest.mark.parametrize(
    ("python", "told"),
    [
        (
            "Choose another score_cache if it is read-only.",
            "Choose another --score-cache if it is read-only.",
        ),
        ("judge_weights has no effect.", "--option judge_weights has no effect."),
        ("Its options are attributions, label_order, score_cache.",) * 2,
        ("It has no column 'score_cache'.",) * 2,
        ("caspr_strongest and summac_zs are scores.",) * 2,
    ],
)
def test_a_name_with_an_underscore_becomes_a_flag_but_not_in_lists_and_quotes(python: str, told: str) -> None:
    assert say(python) == told


def test_the_option_of_an_error_becomes_a_flag_wherever_it_is_named() -> None:
    assert say("`pairs` must be `all`.", "Leave `pairs` out.", option="pairs") == (
        "--pairs must be `all`. Leave --pairs out."
    )
    assert say("The option `pairs` has no effect.", option="pairs") == "--pairs has no effect."
    assert say("caspr has no option `pairs`.", option="pairs") == "caspr has no option --pairs."
    colour = ("--option", "colour=red")
    told = say("caspr has no option `colour`.", "", *colour, option="colour")
    assert told == "--option colour=…: caspr has no option `colour`."
    assert say("`colour` must be blue.", "", *colour, option="colour") == "--option colour must be blue."
    assert say("It is offline.", "Leave device out.", option="device") == (
        "It is offline. Leave --device out."
    )


def test_the_flag_ends_a_message_with_a_place_and_is_named_once() -> None:
    assert say("is empty.", path="t.csv", option="ids") == "t.csv is empty. The flag is --id."
    assert say("is empty.", "See ids=.", path="t.csv", option="ids") == "t.csv is empty. See --id."
    assert say("pairs must be all.", option="pairs") == "--pairs must be all."
