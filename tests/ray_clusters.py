"""Small Ray clusters on this machine, which may be busy: Ray waits longer for its processes than usual."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

SMALL = {"object_store_memory": 150_000_000, "include_dashboard": False}
os.environ |= {
    "RAY_AUTH_MODE": "disabled",  # else it writes a token into the home of whoever runs the tests
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_gcs_server_request_timeout_seconds": "300",
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_worker_register_timeout_seconds": "300",
}


@contextmanager
def machine() -> Iterator[Any]:
    """Connect this process to a cluster of this machine alone, which says that it has a GPU."""
    ray = pytest.importorskip("ray", reason="pip install '.[ray]' in a clone")
    ray.init("local", num_cpus=2, num_gpus=1, log_to_driver=False, logging_level="ERROR", **SMALL)
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def nodes(count: int) -> Iterator[tuple[Any, list[Any]]]:
    """Start a cluster whose head computes nothing, and whose nodes have a CPU each; nobody is connected."""
    ray = pytest.importorskip("ray", reason="pip install '.[ray]' in a clone")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **SMALL})
    try:
        added = [
            cluster.add_node(num_cpus=1, object_store_memory=SMALL["object_store_memory"])
            for _ in range(count)
        ]
        yield cluster, added
    finally:
        ray.shutdown()
        cluster.shutdown()
