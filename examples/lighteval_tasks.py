"""Tasks of lighteval that score summaries with claimwise: a file for ``lighteval … --custom-tasks``.

``DATA`` is a data set of the Hub or a folder, with the columns ``prompt``, ``summary`` (of another system)
and ``source`` (a list of reviews). Any metric can stand in ``METRICS``.
"""

import os

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from claimwise.integrations.lighteval import lighteval_metric

DATA = os.environ.get("CLAIMWISE_TASK_DATA", "summaries")
OPTIONS = {"support_counts": {"support": "sentences"}}  # a source may have fewer than three reviews
METRICS = ("caspr", "summac_zs", "support_counts")


def summary_task(line: dict, task_name: str) -> Doc:
    """Return what is asked, the summary to compare with, and the source."""
    return Doc(
        task_name=task_name,
        query=line["prompt"],
        choices=[line["summary"]],
        gold_index=0,
        specific={"source": line["source"]},
    )


TASKS_TABLE = [
    LightevalTaskConfig(
        name="claimwise_summaries",
        prompt_function=summary_task,
        hf_repo=DATA,
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=[lighteval_metric(name, **OPTIONS.get(name, {})) for name in METRICS],
        generation_size=200,
        stop_sequence=[],
    )
]
