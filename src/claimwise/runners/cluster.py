"""Connections to Ray clusters."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from claimwise.errors import ClaimwiseError, needs_extra, warn

SECONDS_TO_ANSWER = 20


@contextmanager
def connected(address: str | None, workers: int, num_cpus: int, num_gpus: float) -> Iterator[None]:
    """Connect to a cluster, or start one for these workers; an existing connection stays open.

    Raises:
        ClaimwiseError: if there is no cluster, or this machine has no room for a worker.
    """
    ray = ray_data()
    if ray.is_initialized():
        if address not in (None, "auto", ray.get_runtime_context().gcs_address):
            raise ClaimwiseError(
                f"This process is already connected to a cluster other than {address}.",
                "Leave the address out, or call `ray.shutdown()` first.",
                option="address",
            )
        _check_room(num_cpus, num_gpus, is_own=False)
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        options |= {"num_cpus": workers * num_cpus, "include_dashboard": False}
    try:
        host, _, port = (address or "").rpartition(":")
        if host and port.isdigit() and "/" not in host:  # without an answer, Ray tries for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_ANSWER).close()
        ray.init(address or "local", **options)
    except Exception as error:
        reason = " ".join(str(error).split())[:300]
        if address is None:
            problem = f"Ray did not start on this machine ({reason})."
            raise ClaimwiseError(problem, "See the logs in /tmp/ray.") from error
        raise ClaimwiseError(
            f"The Ray cluster at `{address}` cannot be reached ({reason}).",
            "Start one with `ray start --head`, or leave the address out to start one on this machine.",
            option="address",
        ) from error
    log = logging.getLogger("ray.data")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        _check_room(num_cpus, num_gpus, is_own=address is None)
        yield
    finally:
        log.setLevel(level)
        ray.shutdown()


def _check_room(num_cpus: int, num_gpus: float, *, is_own: bool) -> None:
    """Report that no node has room for an actor: an error on this machine, a warning on a cluster."""
    ray = ray_data()
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    asked = {"CPU": num_cpus, "GPU": num_gpus}
    if any(all(node.get(name, 0) >= count for name, count in asked.items()) for node in nodes):
        return
    has = ", ".join(f"{max(node.get(name, 0) for node in nodes):g} {name}" for name in asked)
    wants = ", ".join(f"{count:g} {name}" for name, count in asked.items())
    if is_own:
        raise ClaimwiseError(
            f"A worker needs {wants}, but this machine has {has}.",
            "Request fewer CPUs or GPUs, or give the address of a cluster.",
            option="num_gpus",
        )
    warn(f"A worker needs {wants}, but no node of the cluster has more than {has}: the run waits.")


def ray_data() -> Any:
    """Return the module ``ray``, with Ray Data imported; without Ray, a ClaimwiseError."""
    with needs_extra("ray", "The Ray runner"):
        import ray.data
    return ray
