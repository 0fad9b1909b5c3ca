"""LLMDecomposer against a real local server that speaks the chat completion protocol."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import multiprocessing
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import ENVIRONMENT, Endpoint, Reply, Request, completion, failure, split_at_conjunctions
from hypothesis import example, given, settings
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.http import remote as requests
from claimwise.llm.completion import UnusableAnswerError
from claimwise.text.answers import MAX_CLAIMS, parse_answer
from claimwise.text.claims import Decomposed, Decomposer, load_decomposer
from claimwise.text.llm import DEFAULT_SYSTEM_PROMPT, LLMDecomposer, claim_cache

KEY = "sk-secret-0123456789abcdef"
MODEL = "gpt-3.5-turbo"
ROOM = "The room is big but it smells."
POOL = "The pool is warm and the bar is cheap."
SOON = {"Retry-After": "0.01"}


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(requests, "FIRST_PAUSE_SECONDS", 0.001)


@pytest.fixture
def decomposer(endpoint: Endpoint) -> Callable[..., LLMDecomposer]:
    def make(**options: Any) -> LLMDecomposer:
        given_options = {"model": MODEL, "url": endpoint.url, "api_key": KEY, "show_progress": False}
        return LLMDecomposer(**{**given_options, **options})

    return make


Make = Callable[..., LLMDecomposer]


def left_whole(decomposed: list[Decomposed]) -> list[str]:
    """The reasons of the sentences that were left whole."""
    return [one.left_whole for one in decomposed if one.left_whole]


# Answers ------------------------------------------------------------------------------------------


def test_sentences_are_split_in_order_and_each_is_asked_once(endpoint: Endpoint, decomposer: Make) -> None:
    sentences = [f"Room {i} is big and room {i} is clean." for i in range(20)]
    claims = [[f"Room {i} is big.", f"room {i} is clean."] for i in range(20)]
    decompose = decomposer()
    assert decompose([*sentences, "", *reversed(sentences), " "]) == [
        *claims,
        [],
        *claims[::-1],
        [],
    ]
    assert len(endpoint.requests) == 20
    assert left_whole(decompose.decompose(sentences)) == []
    assert decompose([]) == []


def test_lists_that_are_returned_are_not_shared(decomposer: Make) -> None:
    first, second = decomposer()([ROOM, ROOM])
    first.append("x")
    assert second == ["The room is big.", "it smells."]


def test_the_request_holds_the_settings(endpoint: Endpoint, decomposer: Make) -> None:
    decomposer(model="tiny", temperature=0, max_tokens=99)([ROOM])
    [request] = endpoint.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "tiny",
        "temperature": 0.0,
        "max_tokens": 99,
        "messages": [
            {"role": "system", "content": DEFAULT_SYSTEM_PROMPT},
            {"role": "user", "content": f"sentence: {ROOM}"},
        ],
    }


def test_the_settings_of_the_paper_are_the_defaults(endpoint: Endpoint, decomposer: Make) -> None:
    decomposer()([ROOM])
    body = endpoint.requests[0].body
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("gpt-3.5-turbo", 0.5, 256)


def test_the_examples_of_the_default_prompt_parse() -> None:
    examples = [line for line in DEFAULT_SYSTEM_PROMPT.splitlines() if line.startswith("sentence:")]
    counts = [len(parse_answer(line, line[10:].split(" - ")[0])) for line in examples]
    assert counts == [2, 1, 4, 4]


def test_concurrency_is_used_and_bounded(endpoint: Endpoint, decomposer: Make) -> None:
    together = threading.Barrier(3, timeout=10)

    def respond(request: Request) -> Reply:
        together.wait()
        return split_at_conjunctions(request)

    endpoint.respond = respond
    decomposer(concurrency=3)([f"Sentence {i} is true." for i in range(12)])
    assert endpoint.most_under_way == 3


def test_a_short_run_shows_no_progress_bar(decomposer: Make, capsys: pytest.CaptureFixture[str]) -> None:
    decomposer(show_progress=True)([ROOM])
    assert capsys.readouterr() == ("", "")


def test_newer_models_that_want_another_parameter_name(endpoint: Endpoint, decomposer: Make) -> None:
    def respond(request: Request) -> Reply:
        if "max_tokens" in request.body:
            return failure(400, code="unsupported_parameter", param="max_tokens")
        assert request.body["max_completion_tokens"] == 256
        return split_at_conjunctions(request)

    endpoint.respond = respond
    assert decomposer(concurrency=1)([ROOM, POOL])[1] == ["The pool is warm.", "the bar is cheap."]
    assert len(endpoint.requests) == 3


# Prompt files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["{sentence}", "{}"])
def test_a_prompt_file_is_sent_verbatim(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path, place: str
) -> None:
    prompt = 'Split as {"claims": ["{a}"]} — {{x}}\r\nNow: ' + place + "\n"
    path = tmp_path / "prompt.txt"
    path.write_bytes(prompt.encode())
    sentence = "It costs {sentence} or {}."
    endpoint.respond = lambda _: completion("- It costs that.")
    decompose = decomposer(prompt=path)
    decompose([sentence])
    content = 'Split as {"claims": ["{a}"]} — {{x}}\r\nNow: ' + sentence + "\n"
    assert endpoint.requests[0].body["messages"] == [{"role": "user", "content": content}]
    digest = hashlib.sha256(prompt.encode()).hexdigest()[:12]
    assert decompose.signature["decomposer_prompt"] == digest


def test_the_named_place_wins_over_the_bare_braces(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path
) -> None:
    (tmp_path / "prompt.txt").write_text("Not {}, {sentence}")
    decomposer(prompt=tmp_path / "prompt.txt")([ROOM])
    assert endpoint.requests[0].body["messages"][0]["content"] == f"Not {{}}, {ROOM}"


def test_a_prompt_file_without_a_place_is_the_system_prompt(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path
) -> None:
    (tmp_path / "prompt.txt").write_bytes(b"\xef\xbb\xbfSplit {what} follows.")
    decomposer(prompt=str(tmp_path / "prompt.txt"))([ROOM])
    assert endpoint.requests[0].body["messages"] == [
        {"role": "system", "content": "Split {what} follows."},
        {"role": "user", "content": f"sentence: {ROOM}"},
    ]


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe\x00"])
def test_a_prompt_file_that_cannot_be_used(decomposer: Make, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "prompt.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ClaimwiseError, match=r"prompt\.txt (cannot be read|is empty)"):
        decomposer(prompt=path)


# The cache ----------------------------------------------------------------------------------------


def test_a_second_run_asks_nothing_and_the_key_is_nowhere(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "folder" / "answers.sqlite"
    first = decomposer(cache=path)
    claims = first([ROOM, POOL])
    second = decomposer(cache=path)
    assert second([POOL, ROOM, POOL]) == [claims[1], claims[0], claims[1]]
    assert len(endpoint.requests) == 2
    for shown in (caplog.text, repr(first), str(first.signature)):
        assert KEY not in shown
    for file in path.parent.iterdir():
        assert KEY.encode() not in file.read_bytes()


def test_whatever_changes_the_answer_is_part_of_the_key(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path
) -> None:
    (tmp_path / "prompt.txt").write_text("Split: {sentence}")
    for options in (
        {},
        {"model": "other"},
        {"temperature": 0.6},
        {"max_tokens": 257},
        {"prompt": tmp_path / "prompt.txt"},
        {"url": endpoint.url + "/other"},
        {"url": endpoint.url + "?deployment=other"},
    ):
        before = len(endpoint.requests)
        for _ in range(2):
            decomposer(cache=tmp_path / "answers.sqlite", **options)([ROOM])
        assert len(endpoint.requests) == before + 1


def test_a_run_resumes_after_a_hard_failure(endpoint: Endpoint, decomposer: Make, tmp_path: Path) -> None:
    sentences = [f"Sentence {i} is true." for i in range(6)]
    refused = failure(401)
    endpoint.respond = lambda request: (
        refused if len(endpoint.requests) > 3 else split_at_conjunctions(request)
    )
    cache = tmp_path / "answers.sqlite"
    with pytest.raises(ClaimwiseError, match=r"answers\.sqlite: a second run resumes from there"):
        decomposer(cache=cache, concurrency=1)(sentences)
    assert len(endpoint.requests) == 4
    endpoint.respond = split_at_conjunctions
    assert decomposer(cache=cache)(sentences) == [[sentence] for sentence in sentences]
    assert sorted(request.text for request in endpoint.requests[4:]) == sentences[3:]


def test_control_c_keeps_what_was_answered_and_starts_nothing_more(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path
) -> None:
    main_thread = threading.main_thread().ident
    assert main_thread is not None

    def respond(request: Request) -> Reply:
        if len(endpoint.requests) == 3:
            signal.pthread_kill(main_thread, signal.SIGINT)
            endpoint.released.wait(0.2)  # until the signal has arrived
        return split_at_conjunctions(request)

    endpoint.respond = respond
    sentences = [f"Sentence {i} is true." for i in range(12)]
    cache = tmp_path / "answers.sqlite"
    with pytest.raises(KeyboardInterrupt):
        decomposer(cache=cache, concurrency=1)(sentences)
    asked = len(endpoint.requests)
    assert 3 <= asked < 8
    decomposer(cache=cache)(sentences)
    assert len(endpoint.requests) == 12


def test_a_failed_request_is_not_repeated_once_the_run_has_stopped(
    endpoint: Endpoint, decomposer: Make
) -> None:
    both = threading.Barrier(2, timeout=10)

    def respond(request: Request) -> Reply:
        if len(endpoint.requests) <= 2:
            both.wait()
        return failure(401) if request.text == ROOM else failure(500, headers={"Retry-After": "0.2"})

    endpoint.respond = respond
    with pytest.raises(ClaimwiseError, match="401"):
        decomposer(concurrency=2, retries=50)([ROOM, POOL])
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("content", [b"garbage " * 200, b"SQLite format 3\0" + b"\1" * 4000])
def test_a_corrupt_cache(decomposer: Make, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(content)
    with pytest.raises(ClaimwiseError, match=r"answers\.sqlite (is not a valid .* Delete|cannot be used)"):
        decomposer(cache=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("text", ["[", "[]", "{}", '"x"', "[1]", '[""]', b"\x80\x04"])
def test_a_corrupt_entry(tmp_path: Path, text: str | bytes) -> None:
    cache = claim_cache(tmp_path / "answers.sqlite")
    cache.put("key", ["A claim."])
    connection = sqlite3.connect(cache.path)
    with connection:
        connection.execute("UPDATE answers SET claims = ?", (text,))
    connection.close()
    with pytest.raises(ClaimwiseError, match="Delete the file"):
        cache.get(["key"])


def test_a_cache_that_cannot_be_written(decomposer: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "file" / "answers.sqlite", Path("/proc/answers.sqlite")):
        with pytest.raises(ClaimwiseError, match=r"cannot be used.*or choose another cache="):
            decomposer(cache=path)


def _put_many(path: Path, name: str) -> None:
    cache = claim_cache(path)
    for number in range(25):
        cache.put(f"{name}{number}", [f"Claim {number}."])
        cache.put(f"shared{number}", ["A claim."])


@pytest.mark.slow
def test_processes_share_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_put_many, args=(path, name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    keys = [f"{name}{number}" for name in ("a", "b", "shared") for number in range(25)]
    assert len(claim_cache(path).get(keys)) == 75


# Failures that pass -------------------------------------------------------------------------------


JSON = {"Content-Type": "application/json"}
HTML = Reply(b"<html>busy</html>", 200, {"Content-Type": "text/html"})
CUT = Reply(completion("- The room is big.").body[:-9])


@pytest.mark.parametrize(
    "replies",
    [
        [failure(429, headers=SOON)] * 3,
        [failure(500, headers=SOON), failure(503, headers=SOON), failure(502, headers=SOON)],
        [Reply(b"not json", 500, SOON)],
        [failure(408, headers={"retry-after-ms": "5"})],
        [Reply(b"", is_dropped=True)],
        [Reply(b"")],
        [CUT, CUT],
        [Reply(b"[" * 100_000), Reply(b'"\xff"')],
        [HTML],
        [CUT, failure(500, headers=SOON), HTML],
    ],
    ids=["429", "5xx", "500 text", "408", "drop", "no body", "cut", "odd", "html", "mixed"],
)
def test_a_request_is_repeated(endpoint: Endpoint, decomposer: Make, replies: list[Reply]) -> None:
    endpoint.answer_in_turn(*replies)
    assert decomposer(retries=3)([ROOM]) == [["The room is big.", "it smells."]]
    assert len(endpoint.requests) == len(replies) + 1


def test_a_body_cut_off_by_the_network_is_asked_for_again(endpoint: Endpoint, decomposer: Make) -> None:
    whole = completion("- The room is big.")
    endpoint.answer_in_turn(Reply(whole.body[:20], headers={**JSON, "Content-Length": "900"}))
    assert decomposer(retries=1)([ROOM]) == [["The room is big.", "it smells."]]


def test_json_of_another_content_type_is_read(endpoint: Endpoint, decomposer: Make) -> None:
    endpoint.respond = lambda _: Reply(
        completion("- It is big.\n- It smells.").body, headers={"Content-Type": "text/plain"}
    )
    assert decomposer()([ROOM]) == [["It is big.", "It smells."]]


# Failures that stay -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "requests", "message"),
    [
        (
            failure(401, f"Incorrect API key provided: {KEY}"),
            1,
            r"refused the API key \(401\)\. Check the key",
        ),
        (failure(403, KEY), 1, r"\(403\)\. Check the key and its access to the model"),
        (failure(404, f"No m for {KEY}"), 1, r"`m` .*\(404\): “No m for \*\*\*”\. Check the model"),
        (failure(429, "Quota", SOON), 3, r"up to 2 retries \(429\): “Quota”\. Check the quota"),
        (failure(429, "Quota", {"Retry-After": "9999"}), 1, r"\(429\)"),
        (failure(500, headers=SOON), 3, r"keeps failing, with up to 2 retries \(500\)"),
        (Reply(b"<html>", 503, SOON), 3, r"\(503\)\. Check the server"),
        (failure(400, f"bad {KEY}" * 99), 1, r"sentence .The room is big.* \(400\): “bad \*\*\*"),
        (Reply(b"", 418), 1, r"\(418\)\. Check the model"),
        (HTML, 3, r"other than JSON\. Check its address; the address of a chat model usually ends in /v1"),
    ],
    ids=["401", "403", "404", "429", "long 429", "500", "503", "400", "418", "html"],
)
def test_a_failure_that_stays_stops_the_run(
    endpoint: Endpoint, decomposer: Make, reply: Reply, requests: int, message: str
) -> None:
    endpoint.respond = lambda _: reply
    with pytest.raises(ClaimwiseError, match=message) as caught:
        decomposer(model="m", retries=2, concurrency=1)([ROOM, POOL])
    assert len(endpoint.requests) == requests
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    shown = caught.value.__context__  # nothing of httpx or openai, which may quote the address
    assert isinstance(shown, ClaimwiseError)
    assert (shown.__context__, KEY in str(shown)) == (None, False)
    assert "With a cache of answers, a second run would resume" in str(caught.value)


def test_json_that_stays_cut_off_leaves_the_sentence_whole(endpoint: Endpoint, decomposer: Make) -> None:
    endpoint.respond = lambda request: CUT if request.text == ROOM else split_at_conjunctions(request)
    decompose = decomposer(retries=5)
    with pytest.warns(ClaimwiseWarning, match="1 not JSON"):
        assert decompose.decompose([ROOM, POOL]) == [
            Decomposed([ROOM], "not JSON", failed=True),
            Decomposed(["The pool is warm.", "the bar is cheap."]),
        ]
    assert len(endpoint.requests) == 4


def test_a_server_that_never_answers(endpoint: Endpoint, decomposer: Make) -> None:
    def respond(request: Request) -> Reply:
        endpoint.released.wait()
        return split_at_conjunctions(request)

    endpoint.respond = respond
    with pytest.raises(ClaimwiseError, match=r"within 0\.3 seconds, in a single attempt\. Raise timeout="):
        decomposer(timeout=0.3, retries=0)([ROOM])


def test_a_time_out_is_asked_again(endpoint: Endpoint, decomposer: Make) -> None:
    def respond(request: Request) -> Reply:
        if len(endpoint.requests) == 1:
            endpoint.released.wait()
        return split_at_conjunctions(request)

    endpoint.respond = respond
    assert decomposer(timeout=0.3, retries=1)([ROOM]) == [["The room is big.", "it smells."]]


def test_connections_that_are_always_dropped(endpoint: Endpoint, decomposer: Make) -> None:
    endpoint.respond = lambda _: Reply(b"", is_dropped=True)
    with pytest.raises(ClaimwiseError, match=r"cannot be reached.*Check its address"):
        decomposer(retries=0)([ROOM])


def test_nobody_listens(decomposer: Make) -> None:
    with pytest.raises(ClaimwiseError, match=r"127\.0\.0\.1:1/v1 cannot be reached"):
        decomposer(url="http://user:hidden@127.0.0.1:1/v1?key=hidden", retries=0)([ROOM])


# Answers that cannot be used ----------------------------------------------------------------------


UNUSABLE = {
    "empty": [completion(""), completion(" \n"), completion(None), Reply(b'{"choices": []}')],
    "refused": [
        completion("I'm sorry, but I can't help with that."),
        completion("I’m sorry, as a language model I do not."),
        completion("", finish_reason="content_filter"),
        completion(None, refusal="No."),
        failure(400, "filtered", code="content_filter"),
    ],
    "cut off at max_tokens": [completion("- The room is b", finish_reason="length")],
    "too long": [
        completion("\n".join(f"- Claim {i}." for i in range(21))),
        completion("- " + "x" * 200),
        completion("- The room is big.\n" * 550_000),
    ],
    "malformed": [
        completion("***\n---"),
        completion("Here are the claims:"),
        Reply(b"null"),
        Reply(b'{"error": {"message": "no"}}'),
        Reply(b'{"choices": null}'),
        Reply(b'{"choices": [{"message": {"content": ["x"]}}]}'),
    ],
}


@pytest.mark.parametrize("reason", UNUSABLE)
def test_an_answer_that_cannot_be_used_leaves_the_sentence_whole(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path, reason: str
) -> None:
    replies = {f"Case {i} is odd and hard.": reply for i, reply in enumerate(UNUSABLE[reason])}
    number = len(replies)
    endpoint.respond = lambda request: replies.get(request.text) or split_at_conjunctions(request)
    decompose = decomposer(cache=tmp_path / "answers.sqlite")
    with pytest.warns(ClaimwiseWarning) as caught:
        decomposed = decompose.decompose([*replies, POOL, *replies])
    whole = [Decomposed([sentence], reason, failed=True) for sentence in replies]
    assert decomposed == [*whole, Decomposed(["The pool is warm.", "the bar is cheap."]), *whole]
    [warning] = caught
    assert str(warning.message).startswith(f"{2 * number} of {2 * number + 1} sentences were left")
    assert f"({2 * number} {reason})" in str(warning.message)
    assert warning.filename == __file__
    assert len(endpoint.requests) == number + 1

    endpoint.respond = split_at_conjunctions
    decomposed = decompose.decompose([*replies, POOL])
    assert left_whole(decomposed) == []
    assert [one.claims for one in decomposed] == [
        *([f"Case {i} is odd.", "hard."] for i in range(number)),
        ["The pool is warm.", "the bar is cheap."],
    ]
    assert len(endpoint.requests) == 2 * number + 1


# The key goes to the endpoint only -----------------------------------------------------------------


def test_an_answer_that_quotes_the_key_is_not_kept(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path
) -> None:
    endpoint.respond = lambda _: completion(f"- The room is {KEY}.")
    path = tmp_path / "answers.sqlite"
    with pytest.warns(ClaimwiseWarning, match="1 quoting the API key"):
        assert decomposer(cache=path)([ROOM]) == [[ROOM]]
    assert KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_redirect_takes_the_key_nowhere_else(endpoint: Endpoint, decomposer: Make, status: int) -> None:
    elsewhere = Endpoint()
    try:
        headers = {"Location": f"{elsewhere.url.replace('127.0.0.1', 'localhost')}/chat/completions"}
        endpoint.respond = lambda _: Reply(b"", status, headers)
        with suppress(ClaimwiseError):
            decomposer(retries=0)([ROOM])
        assert all(KEY not in str(request.headers) for request in elsewhere.requests)
        assert endpoint.requests
    finally:
        elsewhere.close()


def test_secrets_are_in_no_log_and_no_error(
    endpoint: Endpoint, decomposer: Make, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    url = endpoint.url.replace("http://", "http://user:hidden-word@") + "?code=hidden-code"
    decomposer(url=url)([ROOM])
    assert endpoint.requests[0].path.endswith("?code=hidden-code")
    endpoint.respond = lambda _: failure(400, f"bad {KEY}, hidden-word and hidden-code")
    with pytest.raises(ClaimwiseError, match=r"bad \*\*\*, \*\*\* and \*\*\*"):
        decomposer(url=url)([ROOM])
    assert caplog.records
    assert "hidden-word" not in caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"not gzip", headers={**JSON, "Content-Encoding": "gzip"}),
        Reply(b"", 302, {"Location": "/v1/chat/completions"}),
        Reply(b"", 302, {"Location": "file:///etc/passwd"}),
        Reply(b"", 204),
        Reply(b"\0" * 1000),
        Reply(b"{}", headers={"Content-Type": "application/json; charset=nonsense"}),
        Reply(b"{}", headers={f"X-{number}": "x" * 500 for number in range(150)}),
        Reply(b"{}", 999),
    ],
    ids=["gzip", "loop", "file", "no content", "zeros", "charset", "headers", "999"],
)
def test_an_endpoint_that_breaks_the_protocol_costs_one_sentence_or_stops_the_run(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path, reply: Reply
) -> None:
    endpoint.respond = lambda request: reply if request.text == POOL else split_at_conjunctions(request)
    cache = tmp_path / "answers.sqlite"
    with suppress(ClaimwiseError), warnings.catch_warnings():
        warnings.simplefilter("ignore", ClaimwiseWarning)
        assert decomposer(cache=cache, concurrency=1, retries=1)([ROOM, POOL])[1] == [POOL]
    asked = len(endpoint.requests)
    endpoint.respond = split_at_conjunctions
    assert decomposer(cache=cache)([ROOM, POOL])[1] == ["The pool is warm.", "the bar is cheap."]
    assert len(endpoint.requests) == asked + 1


@pytest.mark.slow
def test_a_killed_run_keeps_every_answer_but_the_one_under_way(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path
) -> None:
    script = """if True:
        import json, sys
        from claimwise.text.llm import LLMDecomposer
        url, cache = sys.argv[1:]
        print("started", flush=True)
        LLMDecomposer("gpt-3.5-turbo", url, cache=cache, concurrency=1)(json.loads(sys.stdin.read()))
        """
    sentences = [f"Sentence {i} is true." for i in range(8)]
    cache = tmp_path / "answers.sqlite"
    process = subprocess.Popen(
        [sys.executable, "-c", script, endpoint.url, str(cache)], stdin=subprocess.PIPE, text=True
    )

    def respond(request: Request) -> Reply:
        if len(endpoint.requests) == 6:
            process.kill()
        return split_at_conjunctions(request)

    endpoint.respond = respond
    process.communicate(json.dumps(sentences))
    assert process.returncode == -signal.SIGKILL
    endpoint.respond = split_at_conjunctions
    assert decomposer(url=endpoint.url, cache=cache)(sentences) == [[text] for text in sentences]
    assert sorted(request.text for request in endpoint.requests[6:]) == sentences[5:]


@pytest.mark.slow
def test_the_command_line_resumes_after_everything_that_can_go_wrong_and_never_shows_the_key(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    texts = [f"Room {i} is big and room {i} is clean." for i in range(12)]
    rows = [json.dumps({"predictions": text, "references": text.upper()}) for text in texts]
    (tmp_path / "t.jsonl").write_text("\n".join(rows))
    command = [
        sys.executable,
        "-c",
        "from claimwise.apps.cli import main; main()",
        "score",
        "caspr",
        "t.jsonl",
    ]
    command += ["--decomposer", f"openai:m@{endpoint.url}", "--score-cache", "answers.sqlite"]
    for option in ("api_key_env=A_KEY", "timeout=2", "concurrency=1"):
        command += ["--decomposer-option", option]
    command += ["--output", "out.json"]
    environment = os.environ | {"A_KEY": KEY}

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )

    huge = completion("- The room is big.\n" * 550_000)
    troubles = [
        failure(429, f"slow down, {KEY}", SOON),
        failure(500, KEY, SOON),
        Reply(b"", is_dropped=True),
        CUT,
        HTML,
        None,  # a hang
        huge,
        completion(None, refusal=f"not for {KEY}"),
        Reply(b'{"choices": []}'),
    ]

    def respond(request: Request) -> Reply:
        if len(endpoint.requests) % 2 and troubles:
            trouble = troubles.pop(0)
            if trouble is None:
                endpoint.released.wait()
            else:
                return trouble
        return failure(401, KEY) if len(endpoint.requests) > 22 else split_at_conjunctions(request)

    endpoint.respond = respond
    stopped = run()
    asked = len(endpoint.requests)
    endpoint.respond = split_at_conjunctions
    resumed = run()

    assert (stopped.returncode, troubles) == (1, [])
    assert "401" in stopped.stderr
    assert "a second run resumes" in stopped.stderr
    assert resumed.returncode == 0, resumed.stderr
    once = {request.text for request in endpoint.requests}
    assert len(once) == 24
    assert len(endpoint.requests) - asked < 24
    for shown in (stopped.stdout, stopped.stderr, resumed.stdout, resumed.stderr):
        assert KEY not in shown
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()


# Settings -----------------------------------------------------------------------------------------


def test_the_signature_and_the_protocol(endpoint: Endpoint) -> None:
    url = endpoint.url.replace("http://", "http://user:hidden@") + "/?key=hidden"
    decompose = load_decomposer(f"openai:{MODEL}@{url}", api_key=KEY, temperature=1)
    assert isinstance(decompose, Decomposer)
    prompt = decompose.signature["decomposer_prompt"]
    assert decompose.signature == {
        "decomposer": "openai:gpt-3.5-turbo",
        "decomposer_url": endpoint.url.removeprefix("http://"),
        "decomposer_temperature": "1",
        "decomposer_max_tokens": "256",
        "decomposer_prompt": prompt,
    }
    assert prompt.startswith("default-")
    assert "hidden" not in repr(decompose)


def test_query_and_credentials_of_the_address_are_sent(endpoint: Endpoint, decomposer: Make) -> None:
    url = endpoint.url.replace("http://", "http://us%40er:word@") + "?api-version=3"
    decomposer(url=url, api_key=None)([ROOM])
    [request] = endpoint.requests
    assert request.path == "/v1/chat/completions?api-version=3"
    assert request.headers["authorization"] == f"Basic {base64.b64encode(b'us@er:word').decode()}"


def test_where_the_address_comes_from(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    LLMDecomposer(MODEL, show_progress=False)([ROOM])
    assert len(endpoint.requests) == 1
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert LLMDecomposer(MODEL, api_key=KEY).signature["decomposer_url"] == "api.openai.com/v1"


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": -0.1},
        {"temperature": 2.1},
        {"temperature": float("nan")},
        {"temperature": "0.5"},
        {"max_tokens": 0},
        {"max_tokens": 2.5},
        {"concurrency": 0},
        {"concurrency": True},
        {"retries": -1},
        {"timeout": 0},
        {"timeout": float("inf")},
        {"model": ""},
        {"url": "localhost:8000/v1"},
        {"url": "http://localhost:99999/v1"},
        {"url": "http://"},
        {"url": 8000},
        {"prompt": 5},
    ],
    ids=str,
)
def test_bad_settings(decomposer: Make, options: dict[str, Any]) -> None:
    with pytest.raises(ClaimwiseError, match=next(iter(options))):
        decomposer(**options)


@pytest.mark.parametrize("key", ["sk-hidden key", "sk-hidden\nkey", "sk-hiddenü"])
def test_a_key_that_no_header_can_hold_is_not_quoted(decomposer: Make, key: str) -> None:
    with pytest.raises(ClaimwiseError, match="Copy it again") as caught:
        decomposer(api_key=key)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (ROOM, "a single text"),
        ([ROOM, None], "row 1: expected a string, got NoneType"),
        ([ROOM, "half \ud83d"], "row 1: the text contains unpaired surrogates"),
    ],
)
def test_rows_that_are_not_text(endpoint: Endpoint, decomposer: Make, sentences: Any, message: str) -> None:
    with pytest.raises(ClaimwiseError, match=message):
        decomposer()(sentences)
    assert endpoint.requests == []


@pytest.mark.parametrize(
    ("options", "option", "message"),
    [
        ({"timeout": 0}, "timeout", "`timeout` must be between"),
        ({"cache": "/proc/answers.sqlite"}, "cache", "choose another cache="),
        ({"cache": 5}, "cache", "cache must be the path of a file"),
        ({"url": "x"}, "url", "`url` must be an http"),
        ({"api_key": "a b"}, "api_key", "api_key contains a space"),
        ({"temperature": 3}, "temperature", "`temperature` must be between 0 and 2"),
        ({"max_tokens": 0}, "max_tokens", "`max_tokens` must be"),
        ({"prompt": "/none.txt"}, "prompt", "prompt file"),
        ({"concurrency": 0}, "concurrency", "`concurrency` must be"),
        ({"modell": "x"}, "modell", "no option `modell`.*Its options are `api_key_env`, .*temperature"),
    ],
    ids=str,
)
def test_an_error_names_the_option(options: dict[str, Any], option: str, message: str) -> None:
    with pytest.raises(ClaimwiseError, match=message) as caught:
        load_decomposer(f"openai:{MODEL}", **{"url": "http://127.0.0.1:9", **options})
    assert caught.value.option == option


@pytest.mark.parametrize("name", ["openai", "openai:", "openai:m@http://", "openai:@http://127.0.0.1:9"])
def test_a_name_without_model_or_address_is_refused_as_the_decomposer(name: str) -> None:
    with pytest.raises(ClaimwiseError, match=r"openai:ADDRESS|openai:MODEL|http://localhost") as caught:
        load_decomposer(name)
    assert caught.value.option == "decomposer"


def test_a_bad_address_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000")
    with pytest.raises(ClaimwiseError, match=r"`url` must be an http.*OPENAI_BASE_URL"):
        LLMDecomposer(MODEL)


def test_it_can_be_pickled_before_and_after_a_run_and_shows_no_secret(
    endpoint: Endpoint, decomposer: Make, tmp_path: Path
) -> None:
    (tmp_path / "prompt.txt").write_text("Split: {sentence}")
    url = endpoint.url.replace("http://", "http://user:hidden-word@") + "?code=hidden-code"
    decompose = decomposer(url=url, cache=tmp_path / "answers.sqlite", prompt=tmp_path / "prompt.txt")
    endpoint.respond = lambda _: completion("- The room is big.\n- It smells.")
    before = pickle.loads(pickle.dumps(decompose))
    claims = decompose([ROOM])
    after = pickle.loads(pickle.dumps(decompose))
    assert before([ROOM]) == after([ROOM]) == claims == [["The room is big.", "It smells."]]
    assert len(endpoint.requests) == 1
    assert before.signature == decompose.signature
    for shown in (repr(before), repr(before.endpoint), str(before.signature)):
        assert "hidden" not in shown
        assert KEY not in shown


def test_threads_share_a_decomposer(endpoint: Endpoint, decomposer: Make, tmp_path: Path) -> None:
    decompose = decomposer(cache=tmp_path / "answers.sqlite")
    sentences = [f"Room {i} is big and room {i} is clean." for i in range(12)]
    expected = [[f"Room {i} is big.", f"room {i} is clean."] for i in range(12)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda start: decompose(sentences[start:] + sentences[:start]), range(4)))
    assert found == [expected[start:] + expected[:start] for start in range(4)]


def test_the_package_openai_is_missing(decomposer: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ClaimwiseError, match=r"pip install \'\.\[openai\]\'"):
        decomposer()


def test_what_the_environment_holds_for_openai_is_told_to_openai_only(
    endpoint: Endpoint, decomposer: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "of-mine")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: of-mine\nauthorization: of-mine")
    decomposer(api_key=None)([ROOM])
    assert "of-mine" not in str(endpoint.requests[0].headers)


# Reading answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("- The room is big. - It smells.", ["The room is big.", "It smells."]),
        ("The room is big. - It smells", ["The room is big.", "It smells."]),
        ("– The room is big – It smells.", ["The room is big.", "It smells."]),
        ("- The room is big.\n\n- It smells.", ["The room is big.", "It smells."]),
        ("-The room is big. -It smells.", ["The room is big.", "It smells."]),
        ("1. The room is big.\r\n2) It smells.", ["The room is big.", "It smells."]),
        ("1. The room is big. 2. It smells.", ["The room is big.", "It smells."]),
        ("(1) The room is big.\n(2) It smells.", ["The room is big.", "It smells."]),
        ("* The room is big!\n• It smells;", ["The room is big!", "It smells."]),
        ("The room is big.\nIt smells.", ["The room is big.", "It smells."]),
        ('"The room is big."\n“It smells”', ["The room is big.", "It smells."]),
        (f"{ROOM} - The room is big. - It smells.", ["The room is big.", "It smells."]),
        (f"sentence: {ROOM} - The room is big. - It smells.", ["The room is big.", "It smells."]),
        (f"Sentence: {ROOM}\n- The room is big.\n- It smells.", ["The room is big.", "It smells."]),
        (f"{ROOM}\n1. The room is big.\n2. It smells.", ["The room is big.", "It smells."]),
        ("sentence: The room is large. - The room is big.", ["The room is big."]),
        ("sentence: The room is big.\nsentence: It smells.", ["The room is big.", "It smells."]),
        ("- It smells.\nsentence: The pool is cold. - It is cold.", ["It smells."]),
        ("Here are the claims:\n- The room is big.", ["The room is big."]),
        ("```\n- The room is big.\n```", ["The room is big."]),
        ("<think>I'm sorry - hm.</think>\n- The room is big.", ["The room is big."]),
        ("- It smells.\n- It smells.", ["It smells."]),
        ("- A well-kept, king-size room. - It is 2-3 m wide.",
         ["A well-kept, king-size room.", "It is 2-3 m wide."]),
        ('- The sign says "Go."\n- It smells (a bit.)',
         ['The sign says "Go."', "It smells (a bit.)"]),
        (ROOM, [ROOM]),
        (f"- {ROOM}", [ROOM]),
        (f"sentence: {ROOM}", [ROOM]),
    ],
)  # fmt: skip
def test_answers(answer: str, claims: list[str]) -> None:
    assert parse_answer(answer, ROOM) == claims


def test_dashes_of_the_sentence_stay_in_the_claims() -> None:
    sentence = "The room - a suite - is big – and it smells."
    claims = ["The room - a suite - is big.", "The room - a suite - smells."]
    for answer in ("- {} - {}", "{}\n{}", "1. {}\n2. {}", f"sentence: {sentence} - {{}} - {{}}"):
        assert parse_answer(answer.format(*claims), sentence) == claims


def test_twenty_claims_are_not_too_many() -> None:
    claims = [f"Claim {number}." for number in range(20)]
    assert parse_answer("\n".join(f"- {claim}" for claim in claims), ROOM) == claims


def test_a_sentence_that_sounds_like_a_refusal_is_none() -> None:
    sentence = "I'm sorry to say that the pool was cold and dirty."
    answer = "I'm sorry to say that the pool was cold.\nThe pool was dirty."
    assert parse_answer(answer, sentence) == answer.splitlines()


WORD = st.sampled_from(["room", "king-size", "Bosphorus", "café", "4.5", "9", "I", "well-kept", "a"])
CLAIM = st.lists(WORD, min_size=2, max_size=8).map(lambda words: f"So {' '.join(words)}.")


@given(
    claims=st.lists(CLAIM, min_size=1, max_size=8, unique=True),
    form=st.sampled_from([" - {}", "\n- {}", "\n{}", " – {}", "\n• {}", "\n{number}. {}"]),
    echo=st.sampled_from(["", "{}", "sentence: {}"]),
)
@settings(max_examples=100, deadline=None)
def test_claims_survive_every_form(claims: list[str], form: str, echo: str) -> None:
    sentence = f"{'; '.join(claims)} and nothing else"
    listed = "".join(form.format(claim, number=i) for i, claim in enumerate(claims, 1))
    assert parse_answer(echo.format(sentence) + listed, sentence) == claims


@given(
    answer=st.text(alphabet=st.sampled_from("aB1 .-–\n:\"'*!(é") | st.characters()),
    sentence=st.text(min_size=1),
)
@example(answer="- a" * 40, sentence="a")
@settings(max_examples=200, deadline=None)
def test_any_answer_is_parsed_or_unusable(answer: str, sentence: str) -> None:
    try:
        claims = parse_answer(answer, sentence)
    except UnusableAnswerError:
        return
    assert 0 < len(claims) <= MAX_CLAIMS
    for claim in claims:
        assert claim == claim.strip()
        assert claim.rstrip("\"'”’)").endswith((".", "!", "?", "…", "。"))
