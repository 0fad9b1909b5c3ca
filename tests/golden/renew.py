"""Renew the cases called "end to end", which run the embedded judge and the claim writer: after new weights.

``python tests/golden/renew.py`` prints what changes. Other cases replay what was recorded, and stay.
"""

from __future__ import annotations

import json

from replay import FOLDER
from test_golden import differences

from claimwise.metrics import load


def main() -> None:
    """Compute the cases again and write them."""
    for path in sorted(FOLDER.glob("*.json")):
        content = json.loads(path.read_text("utf-8"))
        for case in content["cases"]:
            if not case["name"].startswith("end to end"):
                continue
            metric = load(path.stem, case["config"], **case["options"])
            found = json.loads(json.dumps(metric.compute(**case["columns"], **case["compute"])))
            for difference in differences(found, case["result"]):
                print(f"{path.stem}, {case['name']}: {difference}")
            case["result"] = found
        path.write_text(json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
