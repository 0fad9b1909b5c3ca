"""A real local server that speaks the protocol of text-embeddings-inference around a judge of this process.

Shapes, statuses and words as in its versions 1.5 to 1.9: labels sorted by score, 32-bit numbers, one pair
alone as a flat list, limits of batch and length, and ``/tokenize`` in characters.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import numpy as np
from chat_endpoint import Server
from judges import probabilities

if TYPE_CHECKING:
    from claimwise.judges import NLIModel

Pair = tuple[str, str]


@dataclass
class Refusal(Exception):  # noqa: N818 - what a server does, not what went wrong here
    status: int
    error: str
    error_type: str
    headers: dict[str, str] = field(default_factory=dict)


class WordModel:
    """Judges by words, and its tokens are words too."""

    labels = ("CONTRADICTION", "Entailment", "neutral")
    name, sha, dtype, max_length, special = "words/words", "0" * 40, "float32", 512, 3

    def spans(self, text: str) -> list[tuple[int, int]]:
        spans, at = [], 0
        for word in text.split():
            start = text.index(word, at)
            at = start + len(word)
            spans.append((start, at))
        return spans

    def scores(self, pairs: Sequence[Pair]) -> Any:
        return np.array([[c, e, n] for e, n, c in (probabilities(*pair) for pair in pairs)], np.float32)


class EmbeddedModel(WordModel):
    """A local checkpoint behind the server."""

    labels = ("entailment", "neutral", "contradiction")
    name, sha = "claimwise/embedded", "1" * 40

    def __init__(self, model: NLIModel) -> None:
        self.model = model
        self.max_length = model.max_length
        self.tokenizer = model._checkpoint.encoder.tokenizer

    def spans(self, text: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = self.tokenizer.encode(text, add_special_tokens=False).offsets
        return found

    def scores(self, pairs: Sequence[Pair]) -> Any:
        return self.model.predict_pairs(list(pairs)).probabilities


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: Any


class TEIServer:
    """A server on a free port.

    ``fault`` may answer a request to /predict in its place: bytes, a refusal, or None for a dropped
    connection; what it returns ``...`` for is answered as usual.
    """

    def __init__(self, model: WordModel | None = None, *, port: int = 0, seconds: float = 0) -> None:
        self.model = model or WordModel()
        self.max_client_batch_size = 32
        self.limit_status = 422  # 413 before version 1.9
        self.model_type: dict[str, Any] | None = None
        self.token: str | None = None
        self.seconds = seconds
        self.fault: Callable[[Request], Any] = lambda _: ...
        self.requests: list[Request] = []
        self.judged: list[Pair] = []
        self.keeps = True  # what it was asked, for tests to read
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.under_way = self.most_under_way = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.serve(None)

            def do_POST(self) -> None:
                self.serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def serve(self, body: Any) -> None:
                request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                with server.lock:
                    if server.keeps:
                        server.requests.append(request)
                    server.under_way += 1
                    server.most_under_way = max(server.under_way, server.most_under_way)
                status, headers, content = 200, {}, None
                try:
                    content = server.answer(request)
                except Refusal as refusal:
                    status, headers = refusal.status, refusal.headers
                    content = json.dumps({"error": refusal.error, "error_type": refusal.error_type}).encode()
                finally:
                    with server.lock:
                        server.under_way -= 1
                if content is None:
                    self.close_connection = True
                    return
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:
                    self.close_connection = True  # the client has given up

            def log_message(self, *_: object) -> None:
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def answer(self, request: Request) -> bytes | None:
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            raise Refusal(401, "Unauthorized", "Unhealthy")
        path = request.path.partition("?")[0]
        if path == "/info":
            return json.dumps(self.info()).encode()
        if path == "/tokenize":
            return json.dumps([self.tokens(text) for text in request.body["inputs"]]).encode()
        if path != "/predict":
            raise Refusal(404, "not found", "Validation")
        found = self.fault(request)
        if found is not ...:
            if isinstance(found, Refusal):
                raise found
            return found if found is None or isinstance(found, bytes) else json.dumps(found).encode()
        if self.seconds:
            time.sleep(self.seconds)  # the time that a model takes
        return json.dumps(self.predict(request.body)).encode()

    def info(self) -> dict[str, Any]:
        model = self.model
        id2label = {str(number): label for number, label in enumerate(model.labels)}
        labels = {"id2label": id2label, "label2id": {label: int(n) for n, label in id2label.items()}}
        return {
            "model_id": model.name,
            "model_sha": model.sha,
            "model_dtype": model.dtype,
            "model_type": self.model_type or {"classifier": labels},
            "max_concurrent_requests": 512,
            "max_input_length": model.max_length,
            "max_batch_tokens": 16384,
            "max_batch_requests": None,
            "max_client_batch_size": self.max_client_batch_size,
            "auto_truncate": True,
            "tokenization_workers": 2,
            "version": "1.9.0",
            "sha": None,
            "docker_label": None,
        }

    def tokens(self, text: str) -> list[dict[str, Any]]:
        return [
            {"id": number, "text": text[start:stop], "special": False, "start": start, "stop": stop}
            for number, (start, stop) in enumerate(self.model.spans(text))
        ]

    def truncated(self, premise: str, hypothesis: str) -> Pair:
        """Return a pair within the model's length: as in tokenizers, the longer text is cut first."""
        room = self.model.max_length - self.model.special
        spans = self.model.spans(premise), self.model.spans(hypothesis)
        first, second = map(len, spans)
        if first + second > room:
            fewer = min(first, second, room // 2)
            first, second = (fewer, room - fewer) if first <= second else (room - fewer, fewer)

        def until(text: str, spans: list[tuple[int, int]], count: int) -> str:
            return text if count == len(spans) else text[: spans[count - 1][1]]

        return until(premise, spans[0], first), until(hypothesis, spans[1], second)

    def predict(self, body: dict[str, Any]) -> Any:
        inputs = body["inputs"]
        is_single = isinstance(inputs, str) or isinstance(inputs[0], str)
        pairs = [tuple(inputs)] if is_single else [tuple(pair) for pair in inputs]
        if len(pairs) > self.max_client_batch_size:
            said = f"batch size {len(pairs)} > maximum allowed batch size {self.max_client_batch_size}"
            raise Refusal(self.limit_status, said, "Validation")
        for pair in pairs:
            if not any(pair):
                raise Refusal(400, "`inputs` cannot be empty", "Empty")
            tokens = sum(len(self.model.spans(text)) for text in pair) + self.model.special
            if tokens > self.model.max_length and not body.get("truncate", True):
                said = f"`inputs` must have less than {self.model.max_length} tokens. Given: {tokens}"
                raise Refusal(self.limit_status, f"Input validation error: {said}", "Validation")
        pairs = [self.truncated(*pair) for pair in pairs]
        with self.lock:
            scores = self.model.scores(pairs)
            if self.keeps:
                self.judged += pairs
        answers = [
            sorted(
                (
                    {"score": float(str(score)), "label": label}
                    for score, label in zip(of_pair, self.model.labels, strict=True)
                ),
                key=lambda one: -one["score"],
            )
            for of_pair in scores
        ]
        return answers[0] if is_single else answers

    def predictions(self) -> list[Request]:
        return [request for request in self.requests if request.path.startswith("/predict")]

    def close(self) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
