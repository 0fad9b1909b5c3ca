"""Sixty faults, put into a copy of this tree one after the other: do the tests that should see them fail?

    python tests/seeded_faults.py                       every fault in a copy of this tree
    python tests/seeded_faults.py --results FILE        writes the outcomes, skips those that stand there
    python tests/seeded_faults.py 3 17                  faults by their numbers

A text that is no longer in its file is looked for in all of src/claimwise.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "site", "shared")
LONGEST_SECONDS = 400


class Fault(NamedTuple):
    """A text of the library, what stands there instead, and the tests that should see it.

    Attributes:
        file: under src/claimwise.
        old: a text that stands there once; where the code has several versions, one a line of ``others``.
        new: the fault.
        tests: files or folders under tests.
        others: further pairs of an old text and a new one, for other versions of the code.
    """

    file: str
    old: str
    new: str
    tests: str
    others: tuple[tuple[str, str], ...] = ()


FAULTS = (
    # Formulas
    Fault(
        "scores/caspr.py",
        "contradictions > entailments)",
        "contradictions >= entailments)",
        "unit/scores golden",
    ),
    Fault(
        "scores/caspr.py",
        "labels[contradicted & ~entailed] = CONTRADICTION",
        "labels[contradicted] = CONTRADICTION",
        "unit/scores golden",
    ),
    Fault(
        "scores/distinctiveness.py",
        "pairwise - 2 * (a & b & common)",
        "pairwise - (a & b & common)",
        "unit/scores golden",
    ),
    Fault(
        "scores/summac.py",
        "weights=1 / claims[of_sentence]",
        "weights=claims[of_sentence]",
        "unit/scores golden",
    ),
    Fault(
        "scores/pyramid.py",
        "(others[..., NEUTRAL] + others[..., CONTRADICTION])",
        "np.maximum(others[..., NEUTRAL], others[..., CONTRADICTION])",
        "unit/scores unit/metrics/test_pyramid_metric.py golden",
    ),
    Fault(
        "scores/pyramid.py",
        "references[other] != reference and both_ways[claim, other]",
        "both_ways[claim, other]",
        "unit/scores unit/metrics/test_pyramid_metric.py golden",
    ),
    Fault(
        "scores/support.py",
        "np.flatnonzero(values >= threshold)",
        "np.flatnonzero(values > threshold)",
        "unit/scores golden",
    ),
    Fault(
        "scores/genericity.py", "(top_scores > threshold)", "(top_scores >= threshold)", "unit/scores golden"
    ),
    Fault(
        "scores/genericity.py",
        "variance = (1 - size / population) * float(residuals @ residuals)",
        "variance = float(residuals @ residuals)",
        "unit/scores unit/metrics/test_genericity_metric.py golden",
    ),
    Fault(
        "scores/lexical.py",
        "(self.frequencies[term] + 1)",
        "max(1, self.frequencies[term])",
        "unit/scores golden",
    ),
    Fault("scores/rouge.py", "place + maximum_gap + 2]", "place + maximum_gap + 1]", "unit/scores golden"),
    Fault("scores/ssas.py", "matrix.max(axis=1).astype", "matrix.max(axis=0).astype", "unit/scores golden"),
    Fault("scores/complexity.py", "if token.lower() in lowered", "if token in lowered", "unit/scores golden"),
    Fault("scores/novelty.py", "range(len(tokens) - n + 1)", "range(len(tokens) - n)", "unit/scores golden"),
    Fault("scores/judge_quality.py", "/ (1 - by_chance)", "/ 1", "unit/scores unit/report"),
    Fault(
        "metrics/base.py",
        "row.weight if further.weighted else 1.0 for row",
        "row.weight for row",
        "unit/metrics/test_base.py unit/metrics/test_row_scores.py golden",
    ),
    # Labels and judges
    Fault(
        "labels.py",
        "return entailment + others",
        "return others + entailment",
        "unit/test_labels.py unit/judges",
    ),
    Fault(
        "labels.py", '"refutes", "refuted"}', '"refuted"}', "unit/test_labels.py unit/judges/test_local.py"
    ),
    Fault(
        "judges/local.py",
        "constant_values=-np.inf)",
        "constant_values=0.0)",
        "unit/judges/test_local.py unit/metrics/test_pyramid_metric.py",
    ),
    Fault(
        "judges/local.py",
        "{self._checkpoint.fingerprint}-{order}-{self.max_length}",
        "{self._checkpoint.fingerprint}-{self.max_length}",
        "unit/judges/test_local.py unit/judges/test_cache.py",
        (("-{order}-{self.max_length}-", "-{self.max_length}-"),),
    ),
    Fault(
        "judges/networks.py",
        'positions -= config["pad_token_id"] + 1',
        'positions -= config["pad_token_id"]',
        "unit/judges/test_local.py",
    ),
    Fault("judges/several.py", " * ~unjudged", "", "unit/judges/test_several.py"),
    Fault(
        "judges/vacuous.py",
        "THRESHOLD = 0.25",
        "THRESHOLD = 0.5",
        "unit/judges/test_vacuous.py unit/metrics golden",
    ),
    Fault(
        "judges/crossing.py",
        "yield np.arange(start, start + len(part)), ",
        "yield np.arange(len(part)), ",
        "unit/judges/test_crossing.py unit/judges/test_cache.py unit/judges",
    ),
    Fault(
        "judges/filter/judge.py",
        "likely[left[part]] = odds",
        "likely[part] = odds",
        "unit/judges/test_filter.py",
    ),
    # Truncation
    Fault(
        "judges/pairs.py",
        "hypothesis[: max(self._room // 2,",
        "hypothesis[: max(self._room // 3,",
        "unit/judges/test_local.py unit/judges/test_tei.py",
    ),
    Fault(
        "judges/pairs.py",
        "truncated[row] = True",
        "truncated[row] = len(premise) > self._room",
        "unit/judges/test_local.py unit/judges/test_tei.py golden",
    ),
    Fault(
        "judges/pairs.py",
        "encoding.offsets[tokens - 1][1]",
        "encoding.offsets[tokens - 1][0]",
        "unit/judges/test_local.py unit/judges/test_tei.py unit/metrics/test_summac_zs.py",
    ),
    Fault(
        "metrics/retrieval.py",
        "judgements.truncated | is_short",
        "judgements.truncated",
        "unit/metrics golden",
    ),
    # Cache keys
    Fault(
        "judges/cache.py",
        r'f"{self.fingerprint}\0{len(premise)}\0"',
        r'f"{self.fingerprint}\0"',
        "unit/judges/test_cache.py reliability/test_faults.py",
    ),
    Fault(
        "judges/cache.py",
        "is_judged = ~judgements.unjudged",
        "is_judged = judgements.unjudged | True",
        "unit/judges/test_cache.py unit/judges/test_loading.py unit/judges/test_several.py",
    ),
    Fault(
        "llm/client.py",
        "            settings.temperature,\n            settings.max_tokens,\n",
        "            settings.max_tokens,\n",
        "unit/llm unit/text/test_llm.py unit/judges/test_chat_judge.py",
        (("sorted(endpoint.query.items()), self.temperature]", "sorted(endpoint.query.items())]"),),
    ),
    Fault(
        "judges/llm.py",
        "            self._prompt.instructions,\n            self.ask,\n",
        "            self.ask,\n",
        "unit/judges/test_chat_judge.py",
        (("self._prompt.text, self.mode, self.samples]", "self._prompt.text, self.samples]"),),
    ),
    Fault(
        "judges/cache.py",
        "are_shares and abs(sum(three) - 1) <= tolerance",
        "are_shares",
        "unit/judges/test_cache.py",
    ),
    Fault("text/kept.py", "[signature, *sentences]", "[*sentences]", "unit/text/test_kept.py"),
    # Splitting texts
    Fault(
        "text/sentences.py",
        "if has_content(sentence)]",
        "if sentence]",
        "unit/text/test_sentences.py unit/metrics golden",
    ),
    Fault("text/sentences.py", "{3}[.!?])", "{1}[.!?])", "unit/text/test_sentences.py golden"),
    Fault(
        "metrics/premises.py",
        r'blank_line if re.search(blank_line, text) else r"\n"',
        "blank_line",
        "unit/metrics/test_premises.py unit/metrics/test_summac_zs.py golden",
    ),
    Fault(
        "text/inputs.py",
        'category == "So"',
        'category == "Sc"',
        "unit/text/test_sentences.py unit/text/test_inputs.py unit/metrics reliability/test_hostile_input.py",
    ),
    # Statistics
    Fault(
        "stats.py", "ppf((1 + confidence_level) / 2)", "ppf(confidence_level)", "unit/test_stats.py golden"
    ),
    Fault("stats.py", "tail = 1 + min(", "tail = min(", "unit/test_stats.py unit/report"),
    Fault(
        "stats.py",
        "others = counts if second_weights is None",
        "others = np.ones(count) if second_weights is None",
        "unit/test_stats.py unit/report",
    ),
    Fault(
        "stats.py",
        "mean = float(np.average(values, weights=counts))",
        "mean = float(np.mean(values))",
        "unit/test_stats.py unit/metrics golden",
    ),
    # Runners, and going on after an end
    Fault(
        "runners/kept.py",
        "own = slice(first_row, first_row + rows)",
        "own = slice(first_row, first_row + rows + 1)",
        "unit/runners reliability/test_runs_over_files.py",
    ),
    Fault(
        "runners/kept.py",
        "if digest.strip() != hashlib.sha256(content).hexdigest().encode():",
        "if not digest:",
        "unit/runners reliability/test_runs_over_files.py",
    ),
    Fault(
        "runners/files.py",
        '            "rows": self.rows.digest,\n',
        "",
        "unit/runners reliability/test_runs_over_files.py reliability/test_changed_input.py",
    ),
    Fault(
        "runners/file_rows.py",
        "if self._states_now() != self._states:",
        "if not self._states:",
        "unit/runners reliability/test_runs_over_files.py reliability/test_changed_input.py",
    ),
    Fault(
        "runners/processes.py",
        "== MOST_DEATHS:",
        "== 2:",
        "unit/runners",
    ),
    Fault(
        "runners/parts.py",
        "metric.rows(row.columns, row.first_row, part.claims)",
        "metric.rows(row.columns, 0, part.claims)",
        "unit/runners reliability/test_runs_over_files.py",
    ),
    Fault(
        "runners/kept.py",
        "fcntl.LOCK_EX | fcntl.LOCK_NB",
        "fcntl.LOCK_SH | fcntl.LOCK_NB",
        "unit/runners reliability/test_runs_over_files.py",
    ),
    # Secrets and requests
    Fault(
        "http/endpoint.py",
        "(self.api_key, *(self.credentials or ()), *self.query.values())",
        "(self.api_key,)",
        "unit/llm unit/judges/test_tei.py unit/judges/test_chat_judge.py unit/text/test_llm.py",
        (('(self.api_key or "", *(self.credentials or ()), *self.query.values())', '(self.api_key or "",)'),),
    ),
    Fault(
        "http/endpoint.py",
        '    if parts.scheme != "https":\n        return None\n',
        "",
        "unit/judges/test_tei.py",
    ),
    Fault(
        "llm/client.py",
        "if self.settings.endpoint.hide(completion.text) != completion.text:",
        "if False:",
        "unit/llm unit/text/test_llm.py unit/judges/test_chat_judge.py",
        (("if self.endpoint.hide(completion.text) != completion.text:", "if False:"),),
    ),
    Fault(
        "http/remote.py",
        "if self.requests == limit:",
        "if self.requests - 1 == limit:",
        "unit/llm unit/judges/test_chat_judge.py",
    ),
    # Evidence
    Fault("evidence/html.py", "autoescape=True", "autoescape=False", "unit/evidence"),
    Fault(
        "evidence/support.py",
        "scores[worst] <= -threshold",
        "scores[worst] < -threshold - 0.2",
        "unit/evidence unit/metrics/test_support_counts.py golden",
    ),
    # Command line
    Fault(
        "apps/cli/command.py",
        "_fail(str(error), 1)",
        "_fail(str(error), 0)",
        "apps/test_cli.py",
    ),
    Fault(
        "tables/reader.py",
        "line = rows.line_num + 1",
        "line = rows.line_num",
        "unit/test_files.py unit/runners apps/test_cli.py",
    ),
    # evaluate.load
    Fault(
        "apps/evaluate_module.py",
        'self._rows_added += len(checked["predictions"])',
        'self._rows_added = len(checked["predictions"])',
        "apps/test_evaluate_module.py",
    ),
    Fault(
        "apps/evaluate_module.py",
        "os.utime(target / script.name)",
        "os.stat(target / script.name)",
        "apps/test_evaluate_module.py",
    ),
)


def placed(tree: Path, fault: Fault) -> tuple[Path, str, str] | None:
    """Return the file of a tree that holds the old text, with its content and that with the fault."""
    source = tree / "src" / "claimwise"
    first = [source / fault.file] if (source / fault.file).is_file() else []
    for path in [*first, *sorted(source.rglob("*.py"))]:
        content = path.read_text("utf-8")
        for old, new in ((fault.old, fault.new), *fault.others):
            if old in content:
                return path, content, content.replace(old, new, 1)
    return None


def tried(tree: Path, fault: Fault) -> str:
    """Return what becomes of a fault: ``caught by …``, ``SURVIVED``, or why it could not be tried."""
    found = placed(tree, fault)
    if found is None:
        return "NOT FOUND"
    path, content, faulty = found
    tests = [f"tests/{name}" for name in fault.tests.split() if (tree / "tests" / name).exists()]
    if not tests:
        return "NO TESTS"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    path.write_text(faulty, "utf-8")
    try:
        done = subprocess.run(
            [*command, "--tb=no", *tests],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "caught: the tests hang"
    finally:
        path.write_text(content, "utf-8")
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if failed:
        return f"caught by {failed[1]}"
    return (
        "SURVIVED" if done.returncode == 0 else f"caught? exit code {done.returncode}: {done.stdout[-200:]!r}"
    )


def main() -> None:
    """Try the faults, and print what becomes of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("numbers", nargs="*", type=int, help="of faults, from 1")
    parser.add_argument("--tree", type=Path, default=Path(__file__).parents[1], help="which tree is copied")
    parser.add_argument("--results", type=Path, help="a file that is read first, and written to")
    arguments = parser.parse_args()
    known: dict[str, str] = {}
    if arguments.results and arguments.results.exists():
        lines = arguments.results.read_text("utf-8").splitlines()
        known = {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in lines if line[:1].isdigit()}
    with tempfile.TemporaryDirectory(prefix="seeded-faults-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(arguments.tree, tree, ignore=NOT_COPIED)
        outcomes = []
        for number, fault in enumerate(FAULTS, 1):
            if arguments.numbers and number not in arguments.numbers:
                continue
            if str(number) not in known:
                line = f"{fault.file}: {json.dumps(fault.old.strip())[:70]} {tried(tree, fault)}"
                if arguments.results:
                    with arguments.results.open("a", encoding="utf-8") as file:
                        file.write(f"{number} {line}\n")
            else:
                line = known[str(number)]
            print(number, line, flush=True)
            outcomes.append("caught" in line)
    print(f"{sum(outcomes)} of {len(outcomes)} caught")


if __name__ == "__main__":
    main()
