"""A local server that speaks as much of the Hub's API as an upload needs; it keeps repositories in memory."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LARGE = (".whl", ".parquet")


class LocalHub(ThreadingHTTPServer):
    """Repositories by kind and name (``spaces/group/caspr``), each a dict from paths to contents."""

    def __init__(self) -> None:
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.stored: dict[str, bytes] = {}
        self.tokens: set[str | None] = set()
        self.refusal: tuple[int, str] | None = None
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LocalHub

    def do_GET(self) -> None:
        self.handle_api(b"")

    def do_POST(self) -> None:
        self.handle_api(self.read_body())

    def do_PUT(self) -> None:
        self.server.stored[self.path.rsplit("/", 1)[1]] = self.read_body()
        self.answer(200, {})

    def log_message(self, *_: Any) -> None:
        pass

    def read_body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status: int, content: Any, **headers: str) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_api(self, body: bytes) -> None:
        path = self.path.partition("?")[0]
        self.server.tokens.add((self.headers.get("Authorization") or "").removeprefix("Bearer ") or None)
        if self.server.refusal:
            status, said = self.server.refusal
            self.answer(status, {"error": said})
        elif path == "/api/repos/create":
            self.create(json.loads(body))
        elif path == "/api/validate-yaml":
            self.answer(200, {"errors": [], "warnings": []})
        elif match := re.fullmatch(r"/(?:spaces/|datasets/)?\S+\.git/info/lfs/objects/batch", path):
            self.plan_large_files(json.loads(body))
        elif match := re.fullmatch(r"/api/((?:spaces|datasets)/[^/]+/[^/]+)(/.*)?", path):
            self.repository(match[1], match[2] or "", body)
        else:
            self.answer(501, {"error": f"{self.command} {path} is not part of the local Hub"})

    def create(self, wanted: dict[str, Any]) -> None:
        name = f"{wanted['type']}s/{wanted['organization']}/{wanted['name']}"
        if name in self.server.repositories:
            self.answer(409, {"error": "You already created this repository", "url": self.url_of(name)})
            return
        self.server.repositories[name] = {".gitattributes": b"*.whl filter=lfs\n"}
        self.answer(200, {"url": self.url_of(name), "name": name, "sdk": wanted.get("sdk")})

    def url_of(self, name: str) -> str:
        return f"{self.server.url}/{name}"

    def plan_large_files(self, wanted: dict[str, Any]) -> None:
        objects = [
            {**one, "actions": {"upload": {"href": f"{self.server.url}/storage/{one['oid']}"}}}
            for one in wanted["objects"]
        ]
        self.answer(200, {"transfer": "basic", "objects": objects})

    def repository(self, name: str, rest: str, body: bytes) -> None:
        files = self.server.repositories.get(name)
        if files is None:
            self.answer(404, {"error": "Repository not found"}, X_Error_Code="RepoNotFound")
        elif rest.startswith("/tree/"):
            self.answer(200, [{"type": "file", "path": path, **sizes(files[path])} for path in files])
        elif rest.startswith("/preupload/"):
            modes = [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if file["path"].endswith(LARGE) else "regular",
                    "shouldIgnore": False,
                }
                for file in json.loads(body)["files"]
            ]
            self.answer(200, {"files": modes})
        elif rest.startswith("/commit/"):
            self.commit(name, files, [json.loads(line) for line in body.splitlines()])
        else:
            siblings = [
                {
                    "rfilename": path,
                    **sizes(content),
                    **({"lfs": large(content)} if path.endswith(LARGE) else {}),
                }
                for path, content in files.items()
            ]
            described = {"id": name.partition("/")[2], "sha": "0" * 40, "siblings": siblings, "tags": []}
            self.answer(200, described | {"private": False, "likes": 0, "downloads": 0})

    def commit(self, name: str, files: dict[str, bytes], lines: list[dict[str, Any]]) -> None:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.stored[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        self.answer(200, {"commitUrl": f"{self.url_of(name)}/commit/1", "commitOid": "1" * 40})


def sizes(content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
    return {"size": len(content), "oid": blob, "blobId": blob}


def large(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}


@contextmanager
def running() -> Iterator[LocalHub]:
    hub = LocalHub()
    thread = threading.Thread(target=hub.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        thread.join()
        hub.server_close()
