"""A real local server that speaks the chat completion protocol, and answers as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    is_dropped: bool = False


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """The last message without the label."""
        return str(self.body["messages"][-1]["content"]).removeprefix("sentence: ")


def completion(content: str | None, finish_reason: str = "stop", **message: object) -> Reply:
    message = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    return Reply(json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


def failure(status: int, message: str = "no", headers: dict[str, str] | None = None, **more: str) -> Reply:
    body = json.dumps({"error": {"message": message, **more}}).encode()
    return Reply(body, status, {"Content-Type": "application/json", **(headers or {})})


def split_at_conjunctions(request: Request) -> Reply:
    claims = request.text.replace(" but ", " and ").rstrip(".").split(" and ")
    return completion(" ".join(f"- {claim}." for claim in claims))


ENVIRONMENT = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
"""What the client reads of it; no test must."""


class Server(ThreadingHTTPServer):
    """A server that takes many connections at once: one that found no room would be tried again after 1 s."""

    request_queue_size = 128
    daemon_threads = True


class Endpoint:
    """A server on a free port; ``respond`` says how it answers, and may be replaced."""

    def __init__(self) -> None:
        self.respond: Callable[[Request], Reply] = split_at_conjunctions
        self.requests: list[Request] = []
        self.released = threading.Event()
        self.lock = threading.Lock()
        self.under_way = self.most_under_way = 0
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(length))
                request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                with endpoint.lock:
                    endpoint.requests.append(request)
                    endpoint.under_way += 1
                    endpoint.most_under_way = max(endpoint.under_way, endpoint.most_under_way)
                try:
                    reply = endpoint.respond(request)
                finally:
                    with endpoint.lock:
                        endpoint.under_way -= 1
                try:
                    self.answer(reply)
                except OSError:
                    self.close_connection = True  # the client has given up

            def answer(self, reply: Reply) -> None:
                if reply.is_dropped:
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def answer_in_turn(self, *replies: Reply) -> None:
        """Answer with each of ``replies`` once, then as usual."""
        left = list(replies)
        self.respond = lambda request: left.pop(0) if left else split_at_conjunctions(request)

    def close(self) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
