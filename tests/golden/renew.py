"""Write what metrics give now into the golden files, and print every difference: check each one by hand.

python tests/golden/renew.py [METRIC …]
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from replay import FOLDER, cases, without_versions  # noqa: E402
from test_golden import computed, differences  # noqa: E402
from tiny_checkpoints import save_bert  # noqa: E402


def main(metrics: list[str]) -> None:
    """Renew the results of all metrics, or of those named."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        encoder = Path(folder) / "tiny"
        save_bert(encoder, ["contradiction", "entailment", "neutral"])
        for metric in metrics or sorted({metric for metric, _ in cases()}):
            path = FOLDER / f"{metric}.json"
            content = json.loads(path.read_text("utf-8"))
            for case in content["cases"]:
                _, result = computed(metric, case["name"], Path(folder), encoder)
                key = f"{metric}_signature"
                result[key] = without_versions(result[key].replace(str(encoder), "tiny"))
                before = {**case["result"], key: without_versions(case["result"][key])}
                if before.get(key) == result[key] and not differences(result, before):
                    continue
                for difference in differences(result, before):
                    print(f"{metric}, {case['name']}: {difference[:400]}")
                case["result"] = result
            path.write_text(json.dumps(content, ensure_ascii=False, indent=None) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
