"""The ``claimwise`` command."""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from claimwise.errors import ClaimwiseError, ClaimwiseWarning

if TYPE_CHECKING:
    from rich.console import Console

    from claimwise.hub import Changes

app = typer.Typer(
    help="Contrast metrics for opinion summaries, claim by claim, with the evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(help="Build the data sets.", no_args_is_help=True)
evaluate_app = typer.Typer(
    help='Make evaluate.load("caspr") and its kin work without a network.', no_args_is_help=True
)
reproduce_app = typer.Typer(help="Rerun the experiments of the papers.", no_args_is_help=True)
hub_app = typer.Typer(help="Lay out and upload what goes to the Hugging Face Hub.", no_args_is_help=True)
app.add_typer(data_app, name="data")
app.add_typer(evaluate_app, name="evaluate")
app.add_typer(reproduce_app, name="reproduce")
app.add_typer(hub_app, name="hub")

NliModel = Annotated[
    str | None,
    typer.Option(help="default (embedded), mnli, vitc, anli, a hub id or a folder.", show_default=False),
]
DecomposerName = Annotated[
    str | None, typer.Option("--decomposer", help="rules, sentences or openai.", show_default=False)
]
DecomposerModel = Annotated[
    str | None, typer.Option(help="Model of the openai decomposer.", show_default=False)
]
BaseUrl = Annotated[str | None, typer.Option(help="Endpoint of the openai decomposer.", show_default=False)]
DecomposerCache = Annotated[
    Path | None,
    typer.Option(help="SQLite file that keeps its answers; a killed run resumes.", show_default=False),
]
Splitter = Annotated[
    str | None, typer.Option(help="sentencex, nltk, nltk:untrained or spacy:MODEL.", show_default=False)
]
LabelOrder = Annotated[
    str | None,
    typer.Option(help="Names of the outputs of an unnamed checkpoint, by commas.", show_default=False),
]
Prompt = Annotated[Path | None, typer.Option(help="File with another prompt for it.", show_default=False)]
Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda, cuda:1 …", show_default=False)]
Dtype = Annotated[str | None, typer.Option(help="auto, float32, bfloat16, float16.", show_default=False)]
ScoreCache = Annotated[
    Path | None,
    typer.Option(help="SQLite file that keeps NLI scores; a killed run resumes.", show_default=False),
]
FurtherOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        help="Any further option of the metric, as name=value; may be repeated.",
        show_default=False,
    ),
]
CocotripSource = Annotated[
    Path | None,
    typer.Option(help="Folder with the source files instead of a download.", show_default=False),
]


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from claimwise import __version__

        print(__version__)
        raise typer.Exit


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Where the contrast map goes.")] = Path("contrast_map.html"),
) -> None:
    """Score example pairs with the three contrast metrics and show the evidence of one."""
    from rich.table import Table

    from claimwise.demo import EXPLAINED, PAIRS
    from claimwise.maps import contrast_map, print_evidence
    from claimwise.pipeline import CONTRAST_METRICS, load

    console = _console()
    table = Table(title="Do these summaries contrast?  0 = the same, 100 = full contrast")
    table.add_column("pair", overflow="fold")
    columns: dict[str, Any] = {"predictions": [pair.summary_a for pair in PAIRS]}
    columns["references"] = [pair.summary_b for pair in PAIRS]
    results = {}
    for name in CONTRAST_METRICS:
        table.add_column(name, justify="right", overflow="fold")
        results[name] = load(name).compute(**columns, details=True)
    for row, pair in enumerate(PAIRS):
        table.add_row(
            pair.title, *(f"{results[name][f'{name}_scores'][row]:.1f}" for name in CONTRAST_METRICS)
        )
    console.print(table)
    evidence = results["caspr"]["caspr_details"][PAIRS.index(EXPLAINED)]
    console.print()
    print_evidence(console, "caspr", evidence, EXPLAINED.title)
    signature = results["caspr"]["caspr_signature"]
    console.print(f"\n[dim]{signature}[/dim]", soft_wrap=True)
    contrast_map(results["caspr"], PAIRS.index(EXPLAINED)).save(out, f"Contrast map: {EXPLAINED.title}")
    console.print(f"\nContrast map: {out.resolve()}", soft_wrap=True)


@app.command()
def score(
    metric: Annotated[str, typer.Argument(help="Name of a metric, such as caspr or summac_zs.")],
    file: Annotated[Path, typer.Argument(help="A .csv, .jsonl or .parquet file with a summary a row.")],
    config: Annotated[str, typer.Option(help="Configuration of the metric.")] = "default",
    predictions: Annotated[
        str | None,
        typer.Option(help="Column of summaries (predictions, summary_a or summary).", show_default=False),
    ] = None,
    references: Annotated[
        str | None,
        typer.Option(
            help="Column of other summaries (references, summary_b) or sources (references, reviews).",
            show_default=False,
        ),
    ] = None,
    common: Annotated[
        str | None,
        typer.Option(help="Column of A∩B, for distinctiveness_score.", show_default=False),
    ] = None,
    entities: Annotated[
        str | None, typer.Option(help="Column of what is summarized, for genericity.", show_default=False)
    ] = None,
    output: Annotated[Path | None, typer.Option(help="JSON file for the result.", show_default=False)] = None,
    ci: Annotated[bool, typer.Option("--ci", help="Add a bootstrap confidence interval.")] = False,
    confidence_level: Annotated[
        float | None, typer.Option(help="Of the interval; implies --ci (default: 0.95).", show_default=False)
    ] = None,
    ci_method: Annotated[
        str | None,
        typer.Option(help="normal, percentile or bca; implies --ci (default: normal).", show_default=False),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the bootstrap; implies --ci (default: 0).", show_default=False)
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Add the evidence of every pair.")] = False,
    nli_model: NliModel = None,
    decomposer: DecomposerName = None,
    decomposer_model: DecomposerModel = None,
    base_url: BaseUrl = None,
    prompt: Prompt = None,
    decomposer_cache: DecomposerCache = None,
    splitter: Splitter = None,
    label_order: LabelOrder = None,
    device: Device = None,
    dtype: Dtype = None,
    score_cache: ScoreCache = None,
    tokenizer: Annotated[str | None, typer.Option(help="words_and_punctuation or words.")] = None,
    stemmer: Annotated[str | None, typer.Option(help="A Snowball language, or none.")] = None,
    encoder: Annotated[str | None, typer.Option(help="Encoder of inverted_bertscore.")] = None,
    layer: Annotated[int | None, typer.Option(help="Its layer.")] = None,
    option: FurtherOptions = None,
) -> None:
    """Score every row of a file and print the mean; write everything to --output."""
    from claimwise.files import read_columns, writing
    from claimwise.pipeline import load

    options = _given(
        nli_model=nli_model,
        decomposer=decomposer,
        decomposer_model=decomposer_model,
        base_url=base_url,
        prompt=prompt,
        decomposer_cache=decomposer_cache,
        splitter=splitter,
        label_order=label_order.split(",") if label_order else None,
        device=device,
        dtype=dtype,
        score_cache=score_cache,
        tokenizer=tokenizer,
        stemmer=stemmer,
        encoder=encoder,
        layer=layer,
        **_parsed(option or []),
    )
    loaded = load(metric, config, **options)
    wanted = {
        "predictions": [predictions] if predictions else ["predictions", "summary_a", "summary"],
    }
    if loaded.references_are != "ignored":
        usual = "summary_b" if loaded.references_are == "summaries" else "reviews"
        wanted["references"] = [references] if references else ["references", usual]
    for name, column in (("common", common), ("entities", entities)):
        if column:
            wanted[name] = [column]
    cells = read_columns(file, list(wanted.values()), [f"--{name}" for name in wanted])
    columns: dict[str, Any] = dict(zip(wanted, cells, strict=True))
    interval = _given(confidence_level=confidence_level, confidence_method=ci_method, seed=seed)
    if ci or interval:
        interval = {"confidence_level": 0.95} | interval

    def compute() -> dict[str, Any]:
        return loaded.compute(**columns, details=details, **interval)

    if output is None:
        result = compute()
        if details:
            print(json.dumps(result, ensure_ascii=False))
            return
    else:
        with writing(output) as out:
            result = compute()
            json.dump(result, out, ensure_ascii=False, indent=1)
    console = _console()
    line = f"{metric} {result[metric]:z.2f}"
    if interval:
        low, high = result[f"{metric}_ci"]
        line += f"  [{low:z.2f}, {high:z.2f}] at {100 * interval['confidence_level']:g}%"
    one, several = ("pair", "pairs") if loaded.references_are == "summaries" else ("summary", "summaries")
    count = len(result[f"{metric}_scores"])
    console.print(f"{line}  ({count} {one if count == 1 else several})", markup=False)
    for counted in ("truncated", "fallbacks"):
        if result.get(f"{metric}_{counted}"):
            console.print(f"{counted}: {result[f'{metric}_{counted}']}")
    console.print(result[f"{metric}_signature"], markup=False, soft_wrap=True, style="dim")
    if output is not None:
        console.print(f"Written to {output}", markup=False, soft_wrap=True)


@app.command()
def explain(
    metric: Annotated[str, typer.Argument(help="Name of a metric, such as caspr or support_counts.")],
    a: Annotated[str, typer.Argument(help="The summary (A).")],
    b: Annotated[
        str | None,
        typer.Argument(help="The other summary (B), or the source text of a factuality metric."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "--html",
            help="Also write the map here: .html; for caspr, support_counts and the summac metrics also "
            ".pdf, .svg or .png.",
            show_default=False,
        ),
    ] = None,
    config: Annotated[str, typer.Option(help="Configuration of the metric.")] = "default",
    nli_model: NliModel = None,
    decomposer: DecomposerName = None,
    decomposer_model: DecomposerModel = None,
    base_url: BaseUrl = None,
    prompt: Prompt = None,
    decomposer_cache: DecomposerCache = None,
    splitter: Splitter = None,
    label_order: LabelOrder = None,
    device: Device = None,
    dtype: Dtype = None,
    option: FurtherOptions = None,
) -> None:
    """Score one summary (or pair) and show which claims, sentences or words decided it."""
    from claimwise.maps import print_evidence, save_map
    from claimwise.pipeline import load

    options = _given(
        nli_model=nli_model,
        decomposer=decomposer,
        decomposer_model=decomposer_model,
        base_url=base_url,
        prompt=prompt,
        decomposer_cache=decomposer_cache,
        splitter=splitter,
        label_order=label_order.split(",") if label_order else None,
        device=device,
        dtype=dtype,
        **_parsed(option or []),
    )
    loaded = load(metric, config, **options)
    columns: dict[str, Any] = {"predictions": [a]}
    if metric == "genericity" and b is None:
        raise ClaimwiseError(
            "genericity compares summaries with each other; give another summary as the last argument."
        )
    if loaded.references_are == "ignored":  # then B is one more summary, as genericity needs it
        columns["predictions"] += [b] if b is not None else []
    elif b is None:
        wanted = "a second summary" if loaded.references_are == "summaries" else "its source text"
        raise ClaimwiseError(f"{metric} compares the summary with {wanted}; give it as the last argument.")
    else:
        columns["references"] = [b]
    try:
        result = loaded.compute(**columns, details=True)
    except ClaimwiseError as error:
        other = "the source text (B)" if loaded.references_are == "sources" else "summary B"
        raise ClaimwiseError(_without_rows(str(error), other)) from error
    if out is not None:
        save_map(result, metric, out)
    score = result[f"{metric}_scores"][0]
    console = _console()
    title = metric.upper() if metric == "caspr" else metric
    shown = f"{score:z.1f}" if loaded.references_are == "summaries" else f"{score:z.3f}"
    print_evidence(console, metric, result[f"{metric}_details"][0], f"{title} {shown}")
    console.print(f"\n{result[f'{metric}_signature']}", markup=False, soft_wrap=True, style="dim")
    if out is not None:
        console.print(f"Map: {out.resolve()}", markup=False, soft_wrap=True)


@app.command()
def report(
    results: Annotated[
        list[Path],
        typer.Argument(help="JSON files of claimwise score … --ci --details --output, a system each."),
    ],
    out: Annotated[Path, typer.Option(help="HTML file for the report.")],
    examples: Annotated[int, typer.Option(help="Examples to show at each end, per metric.", min=0)] = 2,
) -> None:
    """Compare the results of several systems on one page: table, distributions, examples, signatures."""
    from claimwise.files import writing
    from claimwise.report import read_results, report_page

    with writing(out) as page:
        page.write(report_page(read_results(results), examples=examples))
    print(f"Report: {out.resolve()}")


@app.command()
def compare(
    metric: Annotated[str, typer.Argument(help="The metric of both results.")],
    first: Annotated[Path, typer.Argument(help="Result of one system (score --output).")],
    second: Annotated[Path, typer.Argument(help="Result of the other, same rows.")],
    method: Annotated[str, typer.Option(help="permutation or bootstrap.")] = "permutation",
) -> None:
    """Test whether two systems, scored on the same rows, differ (paired, two-sided)."""
    from claimwise.signature import differing_parts
    from claimwise.stats import paired_test

    (scores, signature), (others, other_signature) = (_scores(path, metric) for path in (first, second))
    test = paired_test(scores, others, method=method)  # type: ignore[arg-type]
    if differing := differing_parts([signature, other_signature]):
        warnings.warn(
            f"these scores cannot be compared as they are: the signatures differ in {', '.join(differing)}. "
            f"Score both systems with the same options and versions.",
            ClaimwiseWarning,
            stacklevel=1,
        )
    print(
        f"{metric}: first − second = {test.difference:+z.2f}, p = {test.p_value:.4f} "
        f"({test.method}, {len(scores)} pairs)"
    )


@app.command()
def profile(
    files: Annotated[
        list[Path],
        typer.Argument(help="One .jsonl or .parquet file per system, a summary and its reviews a row."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for profile.json, profile.md and support.png.")],
    summaries: Annotated[
        str | None, typer.Option(help="Column of summaries (summary or predictions).", show_default=False)
    ] = None,
    reviews: Annotated[
        str | None,
        typer.Option(
            help="Column of reviews, each a list or a text (reviews or references).", show_default=False
        ),
    ] = None,
    entities: Annotated[
        str | None, typer.Option(help="Column of what is summarized, for genericity.", show_default=False)
    ] = None,
    nli_model: NliModel = None,
    decomposer: DecomposerName = None,
    decomposer_model: DecomposerModel = None,
    base_url: BaseUrl = None,
    prompt: Prompt = None,
    decomposer_cache: DecomposerCache = None,
    splitter: Splitter = None,
    label_order: LabelOrder = None,
    device: Device = None,
    dtype: Dtype = None,
    score_cache: ScoreCache = None,
) -> None:
    """Report how supported, generic, abstractive and complex the summaries of systems are, side by side."""
    from rich.markdown import Markdown

    from claimwise.files import read_columns
    from claimwise.profile import profile_summaries, profile_table, system_names, write_profile

    options = _given(
        nli_model=nli_model,
        decomposer=decomposer,
        decomposer_model=decomposer_model,
        base_url=base_url,
        prompt=prompt,
        decomposer_cache=decomposer_cache,
        splitter=splitter,
        label_order=label_order.split(",") if label_order else None,
        device=device,
        dtype=dtype,
        score_cache=score_cache,
    )
    wanted = [
        [summaries] if summaries else ["summary", "predictions"],
        [reviews] if reviews else ["reviews", "references"],
        *([[entities]] if entities else []),
    ]
    names = system_names(files)
    columns = [read_columns(path, wanted, ["--summaries", "--reviews", "--entities"]) for path in files]
    first = columns[0]
    for path, column in zip(files, columns, strict=True):
        if column[1:] != first[1:]:
            raise ClaimwiseError(f"{path}: the rows have other reviews than those of {files[0]}.")
    found = profile_summaries(
        {name: column[0] for name, column in zip(names, columns, strict=True)},
        first[1],
        entities=first[2] if entities else None,
        **options,
    )
    write_profile(found, out)
    console = _console()
    console.print(Markdown(profile_table(found)))
    console.print(f"\nWritten to {out}: profile.json, profile.md, support.png", soft_wrap=True)


@data_app.command("build")
def data_build(
    name: Annotated[str, typer.Argument(help="cocotrip; in a clone also opinion_nli and source_nli.")],
    out: Annotated[Path, typer.Option(help="Folder for the Parquet files and the card.")],
    source: CocotripSource = None,
) -> None:
    """Download (or read) a data set and write it so that datasets.load_dataset(OUT, CONFIG) reads it."""
    from claimwise.data import build

    build(name, out, source)
    print(f"Built {name} in {out}")


@evaluate_app.command("install")
def evaluate_install(names: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Put the module scripts into the modules cache of evaluate, where bare names are looked up offline."""
    from claimwise.modules import install

    _print_installations(install(names))


@evaluate_app.command("list")
def evaluate_list() -> None:
    """Show what stands behind each metric's bare name."""
    from claimwise.modules import installations

    _print_installations(installations())


@evaluate_app.command("uninstall")
def evaluate_uninstall(names: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Remove what install put there, and nothing else."""
    from claimwise.modules import uninstall

    _print_installations(uninstall(names))


@reproduce_app.command("cocotrip")
def reproduce_cocotrip_command(
    out: Annotated[
        Path, typer.Option(help="Folder for results.json, scores.json, results.md and figure2.png.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            envvar="CLAIMWISE_DATA",
            help="Folder with the CoCoTrip files (default: download).",
            show_default=False,
        ),
    ] = None,
    nli_model: NliModel = None,
    decomposer: DecomposerName = None,
    decomposer_model: DecomposerModel = None,
    base_url: BaseUrl = None,
    prompt: Prompt = None,
    decomposer_cache: DecomposerCache = None,
    splitter: Splitter = None,
    label_order: LabelOrder = None,
    device: Device = None,
    dtype: Dtype = None,
    score_cache: ScoreCache = None,
) -> None:
    """Rerun Table 2, Table 5 and Figure 2 of the CASPR paper on CoCoTrip."""
    from rich.markdown import Markdown

    from claimwise.reproduce import cocotrip_table, reproduce_cocotrip

    options = _given(
        nli_model=nli_model,
        decomposer=decomposer,
        decomposer_model=decomposer_model,
        base_url=base_url,
        prompt=prompt,
        decomposer_cache=decomposer_cache,
        splitter=splitter,
        label_order=label_order.split(",") if label_order else None,
        device=device,
        dtype=dtype,
        score_cache=score_cache,
    )
    results = reproduce_cocotrip(data, out, **options)
    console = _console()
    console.print(Markdown(cocotrip_table(results)))
    console.print(f"\nWritten to {out}: results.json, scores.json, results.md, figure2.png", soft_wrap=True)


@reproduce_app.command("factuality")
def reproduce_factuality_command(
    out: Annotated[Path, typer.Option(help="Folder for results.json, results.md and scores.sqlite.")],
    data: Annotated[
        Path,
        typer.Option(
            envvar="CLAIMWISE_DATA", help="Folder with factuality/ and zs_summ/.", show_default=False
        ),
    ],
    datasets: Annotated[
        str | None,
        typer.Option(help="Some of qags_cnndm,cliff_goyal21,summedits (default: all).", show_default=False),
    ] = None,
    nli_model: NliModel = None,
    label_order: LabelOrder = None,
    device: Device = None,
    dtype: Dtype = None,
) -> None:
    """Measure summac_zs variants and baselines against human labels of consistency."""
    from rich.markdown import Markdown

    from claimwise.reproduce import factuality_table, reproduce_factuality

    options = _given(
        nli_model=nli_model,
        label_order=label_order.split(",") if label_order else None,
        device=device,
        dtype=dtype,
    )
    results = reproduce_factuality(data, out, datasets.split(",") if datasets else None, **options)
    console = _console()
    console.print(Markdown(factuality_table(results)))
    console.print(f"\nWritten to {out}: results.json, results.md", soft_wrap=True)


@reproduce_app.command("opinion-summaries")
def reproduce_opinion_command(
    out: Annotated[Path, typer.Option(help="Folder for results.json and results.md.")],
    data: Annotated[
        Path,
        typer.Option(
            envvar="CLAIMWISE_DATA",
            help="Folder zs_summ with published.json and the recorded systems, or the one above.",
            show_default=False,
        ),
    ],
) -> None:
    """Recompute Tables 6, 7, 8 and 11 and Figure 8 of Bhaskar et al. 2022 from the recorded evidence."""
    from rich.markdown import Markdown

    from claimwise.reproduce import reproduce_opinion_summaries

    reproduce_opinion_summaries(data, out)
    console = _console()
    console.print(Markdown((out / "results.md").read_text(encoding="utf-8")))
    console.print(f"\nWritten to {out}: results.json, results.md", soft_wrap=True)


@hub_app.command("build")
def hub_build(
    out: Annotated[Path, typer.Option(help="Folder for the Spaces and data sets.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of CoCoTrip, built or its source files (default: leave it out)."),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(help="User or organization of the Hub; needed for hub push.", show_default=False),
    ] = None,
    wheel: Annotated[
        Path | None, typer.Option(help="Wheel of claimwise (default: build one).", show_default=False)
    ] = None,
) -> None:
    """Lay out a Space for every metric and a repository for every data set (in a clone)."""
    from claimwise.hub import build

    for folder in build(out, source=data, namespace=namespace, wheel=wheel):
        print(folder)
    if data is None:
        print("Left out: cocotrip, whose texts are other people's. Give its folder with --data.")


@hub_app.command("push")
def hub_push(
    folder: Annotated[Path, typer.Argument(help="What hub build wrote.")],
    namespace: Annotated[
        str | None,
        typer.Option(help="User or organization (default: that of hub build).", show_default=False),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Upload. Without it nothing is changed.")] = False,
) -> None:
    """Show what an upload would create, change and delete on the Hub; with --yes, do it."""
    from claimwise.hub import compare, upload

    for changes in compare(folder, namespace):
        _print_changes(changes)
        if yes and changes:
            upload(changes)
            print("  uploaded")
    if not yes:
        print("Nothing was uploaded. Give --yes to upload.")


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _parsed(assignments: list[str]) -> dict[str, Any]:
    """Read ``name=value``; a value that is JSON (0.5, true, null) is read as such, others as text."""
    options: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise ClaimwiseError(f"--option {assignment}: write it as name=value.")
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    return options


def _scores(path: Path, metric: str) -> tuple[list[float], str]:
    """Return the scores and the signature in a result of ``claimwise score … --output``."""
    from claimwise.pipeline import METRICS, load

    result: Any = None
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        found = result[f"{metric}_scores"]
        if not isinstance(found, list):
            raise TypeError("not a list")
        signature = next((result[key] for key in result if key.endswith("_signature")), "")
        return [float(score) for score in found], str(signature)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if metric not in METRICS:  # a further score of a metric, such as top_score, may be compared as well
            load(metric)
        keys = result if isinstance(result, dict) else ()
        held = [key.removesuffix("_scores") for key in keys if key.endswith("_scores")]
        but = f", but of {', '.join(held)}" if held and metric not in held else ""
        raise ClaimwiseError(
            f"{path}: holds no scores of {metric}{but}. Write it with claimwise score {metric} … --output."
        ) from error


def _without_rows(message: str, other: str) -> str:
    """Return an error's message with the arguments of explain instead of columns and rows.

    Args:
        message: of the error.
        other: what B is called.
    """
    message = message.replace("predictions, row 0", "summary A").replace("references, row 0", other)
    message = message.replace("predictions, row 1", other)
    return re.sub(r"Drop the row( or (fill the text in|fix the text))?", "Change the text", message)


def _console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 110, highlight=False)


def _print_installations(found: list[Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table("metric", "state", "hides (while installed)")
    for installation in found:
        hides = installation.shadowed if installation.state != "absent" else []
        hidden = "\n".join(str(path) for path in hides)
        table.add_row(installation.name, installation.state, escape(hidden))
    console = _console()
    console.print(table)
    console.print(
        f"Looked up in {found[0].folder.parent}. A folder of the metric's name in the working directory "
        f"comes before it, and so does a Hub Space evaluate-metric/<name> when the Hub can be reached.",
        markup=False,
        soft_wrap=True,
    )


def _print_changes(changes: Changes) -> None:
    state = "is up to date"
    if changes:
        state = "is there" if changes.exists else "does not exist yet"
    print(f"{changes.kind} {changes.repository} {state}")
    for sign, paths in (("+", changes.added), ("~", changes.changed), ("-", changes.deleted)):
        for path in paths:
            print(f"  {sign} {path}")
    if changes and changes.unchanged:
        print(f"  {len(changes.unchanged)} files are the same")


def main(arguments: list[str] | None = None) -> None:
    """Run the command; an expected error is one line on stderr and exit code 1 (130 for Ctrl-C)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    warnings.simplefilter("always", ClaimwiseWarning)
    warnings.showwarning = _show_warning(warnings.showwarning)
    try:
        app(arguments, standalone_mode=True)
    except ClaimwiseError as error:
        in_python, here = "Pass weights=:", "Pass weights= (on the command line --option weights=FILE):"
        message = str(error).replace(in_python, here)
        print(f"claimwise: {message}", file=sys.stderr)
        raise SystemExit(1) from None
    except SystemExit as stop:
        if stop.code != 130:  # typer's code for Ctrl-C
            raise
        print(
            "claimwise: interrupted. A command with --score-cache (and --decomposer-cache) goes on where it "
            "stopped when given again.",
            file=sys.stderr,
        )
        raise SystemExit(130) from None


def _show_warning(default: Callable[..., None]) -> Callable[..., None]:
    def show(message: Warning | str, category: type[Warning], *rest: Any, **options: Any) -> None:
        if issubclass(category, ClaimwiseWarning):
            print(f"claimwise: warning: {message}", file=sys.stderr)
        else:
            default(message, category, *rest, **options)

    return show
