"""How much of a server's rate a remote judge uses: 50 ms an answer, 32 pairs a request, 8 in flight.

``python -m benchmarks.speed.remote`` starts a server of its own in another process and prints one line.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection

from claimwise.judges.pairs import Pairs
from claimwise.judges.tei import TEIJudge

SECONDS, BATCH, CONCURRENCY, REQUESTS = 0.05, 32, 8, 1600
LABELS = ("entailment", "neutral", "contradiction")
INFO = {
    "model_id": "benchmark",
    "model_sha": "0" * 40,
    "model_type": {"classifier": {"id2label": {str(number): label for number, label in enumerate(LABELS)}}},
    "max_input_length": 512,
    "max_client_batch_size": BATCH,
}
ANSWER = [{"score": 0.5, "label": "neutral"}] + [{"score": 0.25, "label": label} for label in LABELS[::2]]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    while not reader.at_eof():
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            break
        lengths = [
            line.partition(b":")[2]
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        ]
        body = await reader.readexactly(int(lengths[0])) if lengths else b""
        content: object = INFO
        if body:
            await asyncio.sleep(SECONDS)
            content = [ANSWER] * len(json.loads(body)["inputs"])
        out = json.dumps(content).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(out) + out)
        await writer.drain()


def serve(started: Connection) -> None:
    """Run the server, and tell its port."""

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        started.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


if __name__ == "__main__":
    os.environ["NO_PROXY"] = "127.0.0.1"
    context = get_context("spawn")
    started, telling = context.Pipe()
    process = context.Process(target=serve, args=(telling,), daemon=True)
    process.start()
    judge = TEIJudge(f"http://127.0.0.1:{started.recv()}", concurrency=CONCURRENCY, show_progress=False)
    pairs = Pairs.of((f"premise {n}", f"hypothesis {n}") for n in range(BATCH * REQUESTS))
    begun, begun_cpu = time.monotonic(), time.process_time()
    count = sum(len(rows) for rows, _ in judge.predict_batches(pairs))
    rate, possible = count / (time.monotonic() - begun), BATCH * CONCURRENCY / SECONDS
    cpu = 1000 * (time.process_time() - begun_cpu) / REQUESTS
    print(
        f"{rate:,.0f} pairs a second, {rate / possible:.0%} of {possible:,.0f}; {cpu:.2f} ms of CPU a request"
    )
    process.terminate()
