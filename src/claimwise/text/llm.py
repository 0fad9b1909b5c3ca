"""Decomposing sentences with a language model behind any OpenAI-compatible endpoint.

The approach is that of the CASPR paper (Appendix A, Figure 3): a few-shot prompt, one new chat per
sentence, ``gpt-3.5-turbo`` at temperature 0.5 with at most 256 tokens. The examples are our own.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import re
import sqlite3
import threading
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from tqdm import tqdm

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.text.inputs import has_content

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletionMessageParam

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_PROMPT_NAME = "default-v1"  # in every signature: rename when DEFAULT_SYSTEM_PROMPT changes
DEFAULT_SYSTEM_PROMPT = """\
Here are some examples of how a sentence is split into simple sentences that make one claim each:
sentence: The pool was closed for repairs during our whole stay, and nobody at the front desk had \
mentioned it when we booked. - The pool was closed for repairs during our whole stay. - Nobody at \
the front desk had mentioned the pool's closure when we booked.
sentence: Dinner on the roof terrace was the highlight of the trip. - Dinner on the roof terrace \
was the highlight of the trip.
sentence: Although it is only two stops from the airport, the guesthouse is quiet at night and has \
a well-kept garden where breakfast is served until eleven. - The guesthouse is only two stops from \
the airport. - The guesthouse is quiet at night. - The guesthouse has a well-kept garden. - \
Breakfast is served in the garden until eleven.
sentence: The headphones are light and comfortable but the battery hardly lasts an afternoon, so \
I would not buy them again. - The headphones are light. - The headphones are comfortable. - The \
battery hardly lasts an afternoon. - I would not buy the headphones again.
Split the sentence that you are given in the same manner, with nothing before or after. Keep its \
wording, and leave nothing out."""

MAX_CLAIMS = 20
SHORTEST_SECRET = 8  # shorter parts of an address, such as a version, are words that anyone may say


class OpenAIDecomposer:
    """Splits sentences into claims with a chat model, one request per distinct sentence.

    A sentence whose answer cannot be used (empty, refused, cut off, malformed, absurdly long) is
    left whole, counted in ``fallbacks`` and asked again in the next run.

    Args:
        model: the name of the model, as the endpoint knows it.
        base_url: the endpoint, usually ending in ``/v1``; ``None`` means the environment variable
            ``OPENAI_BASE_URL``, else OpenAI itself.
        api_key: ``None`` means the environment variable ``OPENAI_API_KEY``, else no key if a
            ``base_url`` is given (local servers need none). It is sent to the endpoint only.
        temperature: from 0 to 2.
        max_tokens: the longest answer, in tokens.
        prompt: a UTF-8 text file to use instead of the built-in prompt. The literal ``{sentence}``
            (or, where that does not occur, the paper's ``{}``) is replaced by the sentence and the
            whole is sent as one user message. A file with neither is sent as the system message,
            followed by the user message ``sentence: <the sentence>``. Other braces are left alone.
            The model should answer with claims on lines of their own or set apart by ``" - "``.
        cache: an SQLite file that keeps every answer, created if need be. Several processes may
            share it. ``None`` keeps nothing.
        concurrency: the number of requests under way at once.
        retries: how often a failed request is repeated (rate limits, server errors, time-outs,
            dropped connections, answers that are not JSON), with growing, jittered pauses; a
            server's Retry-After of up to two minutes is honoured.
        timeout: seconds to wait for the endpoint each time.
        show_progress: show a progress bar on runs of more than two seconds.

    Raises:
        ClaimwiseError: for a bad option, a missing key or package, a prompt file that cannot be
            read or a cache that cannot be used.
    """

    _first_pause_seconds = 0.5
    _longest_pause_seconds = 8.0

    def __init__(
        self,
        *,
        model: str = "gpt-3.5-turbo",
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float = 0.5,
        max_tokens: int = 256,
        prompt: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        concurrency: int = 8,
        retries: int = 5,
        timeout: float = 30.0,
        show_progress: bool = True,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ClaimwiseError(
                f"model must be the name of a model, such as 'gpt-3.5-turbo'; got {model!r}."
            )
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        self._model = model
        self._endpoint = _Endpoint.parse(base_url or DEFAULT_BASE_URL)
        self._api_key = _find_api_key(api_key, is_optional=base_url is not None)
        self._temperature = _check_number("temperature", temperature, 0, 2)
        self._max_tokens = _check_whole_number("max_tokens", max_tokens, 1)
        self._concurrency = _check_whole_number("concurrency", concurrency, 1)
        self._retries = _check_whole_number("retries", retries, 0)
        self._timeout = _check_number("timeout", timeout, 0.001, 86_400)
        self._prompt = _Prompt.read(prompt)
        self._cache = None if cache is None else AnswerCache(cache)
        self._show_progress = show_progress
        self._wants_max_completion_tokens = False
        _require_openai()

        self.fallbacks = 0
        self.signature = {
            "decomposer": "openai",
            "decomposer_model": model,
            "decomposer_base_url": self._endpoint.name,
            "decomposer_temperature": f"{self._temperature:g}",
            "decomposer_max_tokens": str(self._max_tokens),
            "decomposer_prompt": self._prompt.name,
        }

    def __repr__(self) -> str:
        return f"OpenAIDecomposer(model={self._model!r}, base_url={self._endpoint.name!r})"

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return the claims of each sentence, in order; a blank sentence has none.

        Raises:
            ClaimwiseError: for a row that is not text, and when the endpoint refuses the key or the
                model, rejects a request or cannot be reached. What was answered until then is in
                the cache.
            KeyboardInterrupt: on Ctrl-C, after the requests under way have ended.

        Warns:
            ClaimwiseWarning: once, with the number of sentences that were left whole.
        """
        _check_sentences(sentences)
        distinct = [text for text in dict.fromkeys(sentences) if text.strip()]
        claims = self._look_up(distinct)
        missing = [sentence for sentence in distinct if sentence not in claims]
        unusable = self._ask_all(missing, claims) if missing else {}
        if unusable:
            reasons = Counter(unusable[text] for text in sentences if text in unusable)
            self.fallbacks += reasons.total()
            warnings.warn(_describe_fallbacks(reasons, len(sentences)), ClaimwiseWarning, 2)
        return [list(claims.get(sentence, [sentence])) if sentence.strip() else [] for sentence in sentences]

    def _look_up(self, sentences: Sequence[str]) -> dict[str, list[str]]:
        """Return the claims of those sentences that the cache knows."""
        if self._cache is None:
            return {}
        keys = {self._cache_key(sentence): sentence for sentence in sentences}
        return {keys[key]: claims for key, claims in self._cache.get(list(keys)).items()}

    def _cache_key(self, sentence: str) -> str:
        """Return the digest of everything that the answer depends on."""
        parts = [
            self._model,
            self._endpoint.url,
            sorted(self._endpoint.query.items()),
            self._temperature,
            self._max_tokens,
            self._prompt.system,
            self._prompt.user,
            sentence,
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _ask_all(self, sentences: Sequence[str], claims: dict[str, list[str]]) -> dict[str, str]:
        """Ask for the claims of ``sentences``, and add them to ``claims``.

        Returns:
            The sentences whose answer could not be used, each with the reason.
        """
        unusable: dict[str, str] = {}
        stop = threading.Event()
        progress = tqdm(
            total=len(sentences),
            desc="decomposing",
            unit=" sentences",
            delay=2,
            disable=None if self._show_progress else True,
        )
        with self._client(stop) as client, progress:
            pool = ThreadPoolExecutor(min(self._concurrency, len(sentences)), "claimwise-openai")
            try:
                asked = {pool.submit(self._ask, client, text, stop): text for text in sentences}
                for answer in as_completed(asked):
                    try:
                        claims[asked[answer]] = answer.result()
                    except _UnusableAnswerError as reason:
                        unusable[asked[answer]] = str(reason)
                    except _StoppedError:
                        continue  # the answer that has stopped the run is yet to come
                    progress.update()
            except _EndpointError as failure:
                message = f"{failure} {self._describe_what_is_kept()}"
            else:
                return unusable
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
        raise ClaimwiseError(message)

    def _client(self, stop: threading.Event) -> openai.OpenAI:
        """Return a client that sends nothing more, not even a repetition, once ``stop`` is set."""
        import openai

        def refuse_when_stopped(_: object) -> None:
            if stop.is_set():
                raise _StoppedError

        return openai.OpenAI(
            api_key=self._api_key,
            base_url=self._endpoint.url,
            default_query=self._endpoint.query,
            max_retries=self._retries,
            timeout=self._timeout,
            http_client=openai.DefaultHttpxClient(
                auth=self._endpoint.credentials, event_hooks={"request": [refuse_when_stopped]}
            ),
        )

    def _ask(self, client: openai.OpenAI, sentence: str, stop: threading.Event) -> list[str]:
        """Return the claims of one sentence, which are in the cache by then.

        Raises:
            _UnusableAnswerError: if the sentence must be left whole.
            _EndpointError: if there is no use in asking for others.
        """
        try:
            reply = self._post(client, sentence, stop)
            answer = read_completion(reply)
            if self._hide_secrets(answer) != answer:
                raise _UnusableAnswerError("quoting the API key")
            claims = parse_answer(answer, sentence)
            if self._cache is not None:
                self._cache.put(self._cache_key(sentence), claims)
            return claims
        except (_EndpointError, ClaimwiseError):
            stop.set()  # at once: the next sentence may start before anyone sees this one fail
            raise

    def _post(self, client: openai.OpenAI, sentence: str, stop: threading.Event) -> object:
        """Return the decoded JSON that the endpoint answers.

        The client itself repeats requests that fail; those that bring back something other than
        JSON are repeated here, twice at most.
        """
        pause = self._first_pause_seconds
        for remaining in reversed(range(min(self._retries, 2) + 1)):
            body = self._send(client, sentence)
            try:
                return json.loads(body)
            except (ValueError, RecursionError):
                if remaining and stop.wait(pause * random.uniform(0.75, 1)):
                    raise _StoppedError from None
                pause = min(2 * pause, self._longest_pause_seconds)
        if body.lstrip().startswith(b"<"):  # a web page: every other sentence would get it too
            raise _EndpointError(
                f"{self._endpoint.name} answers with something other than JSON. Check base_url, which "
                f"usually ends in /v1."
            )
        raise _UnusableAnswerError("not JSON")

    def _send(self, client: openai.OpenAI, sentence: str) -> bytes:
        """Return the body of the answer to one request, or to one of its repetitions."""
        import openai

        by_old_name = not self._wants_max_completion_tokens
        failure: Exception
        try:
            response = client.chat.completions.with_raw_response.create(
                model=self._model,
                temperature=self._temperature,
                max_tokens=self._max_tokens if by_old_name else openai.omit,
                max_completion_tokens=openai.omit if by_old_name else self._max_tokens,
                messages=self._prompt.messages(sentence),
            )
            return response.content
        except openai.APIError as error:
            if by_old_name and (error.code, error.param) == ("unsupported_parameter", "max_tokens"):
                self._wants_max_completion_tokens = True
                return self._send(client, sentence)
            if error.code == "content_filter":
                failure = _UnusableAnswerError("refused")
            else:
                failure = _EndpointError(self._describe_failure(error, sentence))
        raise failure  # outside of the except clause: the client's own message may quote the key

    def _describe_failure(self, error: openai.APIError, sentence: str) -> str:
        """Return what went wrong, and what to check."""
        import openai

        name = self._endpoint.name
        if isinstance(error, openai.APITimeoutError):
            return (
                f"{name} did not answer within {self._timeout:g} seconds, {self._tries}. Raise "
                f"timeout= (request_timeout= of a metric), lower concurrency=, or "
                f"check that the server is well."
            )
        if isinstance(error, openai.APIConnectionError):
            return (
                f"{name} cannot be reached, {self._tries}. Check base_url=, the network, and that "
                f"the server runs."
            )
        status = error.status_code if isinstance(error, openai.APIStatusError) else 0
        if status == 401:
            return f"{name} refused the API key (401). Check OPENAI_API_KEY or api_key=."
        if status == 403:
            return f"{name} denied access (403). Check that the API key may use the model {self._model!r}."
        said = self._quote(error)
        if status == 404:
            return (
                f"{name} does not know the model {self._model!r} or the path (404){said} Check "
                f"model= and base_url=, which usually ends in /v1."
            )
        if status == 429:
            return (
                f"{name} still limits the rate, {self._tries} (429){said} Check the quota, lower "
                f"concurrency=, or wait."
            )
        if status >= 500:
            return f"{name} keeps failing, {self._tries} ({status}){said} Check the server, or wait."
        return (
            f"{name} rejected the request for the sentence {_shorten(sentence, 80)!r} "
            f"({status}){said} Check model=, temperature=, max_tokens= and the prompt."
        )

    @property
    def _tries(self) -> str:
        return "at the only try" if self._retries == 0 else f"with up to {self._retries} retries"

    def _quote(self, error: openai.APIError) -> str:
        """Return the server's own words without secrets, or a full stop."""
        words = error.body.get("message") if isinstance(error.body, dict) else None
        if not isinstance(words, str) or not words.strip():
            return "."
        return f': "{_shorten(self._hide_secrets(words), 200)}"'

    def _hide_secrets(self, words: str) -> str:
        """Return ``words`` without the API key and whatever may be secret in the address."""
        secrets = [self._api_key, *(self._endpoint.credentials or ()), *self._endpoint.query.values()]
        for secret in secrets:
            if len(secret) >= SHORTEST_SECRET:
                words = words.replace(secret, "***")
        return words

    def _describe_what_is_kept(self) -> str:
        if self._cache is None:
            return "With cache= (decomposer_cache= of a metric), a second run would resume from here."
        return f"All answers so far are in {self._cache.path}: a second run resumes from there."


def read_completion(reply: object) -> str:
    """Return the text of a decoded chat completion.

    Raises:
        _UnusableAnswerError: if there is none, or it was refused or cut off.
    """
    match reply:
        case {"choices": [{"finish_reason": "content_filter"}, *_]}:
            raise _UnusableAnswerError("refused")
        case {"choices": [{"finish_reason": "length"}, *_]}:
            raise _UnusableAnswerError("cut off at max_tokens")
        case {"choices": [{"message": {"content": str(content)}}, *_]} if content.strip():
            return content
        case {"choices": [{"message": {"refusal": str(refusal)}}, *_]} if refusal.strip():
            raise _UnusableAnswerError("refused")
        case {"choices": []} | {"choices": [{"message": {"content": str() | None}}, *_]}:
            raise _UnusableAnswerError("empty")
    raise _UnusableAnswerError("malformed")


REFUSAL = re.compile(
    r"\s*(i['’]m sorry|i am sorry|sorry,|i apologi[sz]e|i can['’]?t|i cannot|i['’]m unable"
    r"|i am unable|as an ai\b)",
    re.IGNORECASE,
)
BULLET = re.compile(r"^\s*(?:[-–—•*·](?:\s+|(?=[^\W\d]))|\(?\d{1,2}[.)]\s+)")
NUMBER = re.compile(r"\(?\d{1,2}[.)]\s")
LABEL = re.compile(r"sentence\s*:\s*", re.IGNORECASE)
SEPARATOR_AFTER_STOP = re.compile(r"(?<=[.!?…\"'”’)])\s+[-–—•*·](?:\s+|(?=[^\W\d]))")
SEPARATOR = re.compile(rf"\s[-–—•*·]\s+|{SEPARATOR_AFTER_STOP.pattern}")
NUMBER_AFTER_STOP = re.compile(r"(?<=[.!?…\"'”’)])\s+\(?\d{1,2}[.)]\s+")


def parse_answer(answer: str, sentence: str) -> list[str]:
    """Return the claims in a model's answer, each ending with a full stop (or ``!`` or ``?``).

    The claims stand on lines of their own, with or without bullets or numbers, or are set apart by
    spaced dashes. In a sentence that has a spaced dash itself, only one that follows a full stop
    sets claims apart. An echo of the sentence, a label and an introduction are dropped.

    Raises:
        _UnusableAnswerError: if the answer is empty, refused, malformed or absurdly long.
    """
    answer = answer.rpartition("</think>")[2]
    longest_claim = 3 * len(sentence) + 100
    if len(answer) > 2 * MAX_CLAIMS * longest_claim:
        raise _UnusableAnswerError("too long")
    refusal = REFUSAL.match(answer)
    if refusal and refusal[1].casefold() not in sentence.casefold():
        raise _UnusableAnswerError("refused")

    whole = " ".join(sentence.split())
    echo = re.compile(rf"{re.escape(whole)}[.!?]*(?=\s[-–—•*·]\s|$)", re.IGNORECASE)
    separator = SEPARATOR_AFTER_STOP if SEPARATOR.search(whole) else SEPARATOR
    labelled: list[str] = []
    pieces: list[str] = []
    for line in answer.splitlines():
        line = " ".join(line.split())
        if line.startswith("```") or line.endswith(":"):
            continue
        is_numbered = NUMBER.match(line) is not None
        line = BULLET.sub("", line)
        label = LABEL.match(line)
        if label and pieces:
            break  # the model goes on with an example of its own
        line = line[label.end() :] if label else line
        start = echo.match(line)
        line = BULLET.sub("", line[start.end() :]) if start else line
        parts = [
            part
            for stretch in separator.split(line)
            for part in (NUMBER_AFTER_STOP.split(stretch) if is_numbered else [stretch])
        ]
        if start:
            labelled.append(start[0])
        elif label:
            labelled.append(parts.pop(0))
        pieces.extend(part for part in parts if has_content(part))

    claims = _finish_claims(pieces or labelled)
    if not claims:
        raise _UnusableAnswerError("malformed" if answer.strip() else "empty")
    if len(claims) > MAX_CLAIMS or max(map(len, claims)) > longest_claim:
        raise _UnusableAnswerError("too long")
    return claims


def _finish_claims(pieces: Sequence[str]) -> list[str]:
    """Return the pieces that claim anything, once each, unquoted and with a full stop."""
    claims: dict[str, None] = {}
    for piece in pieces:
        claim = piece.strip()
        quoted = re.fullmatch(r"[\"“]([^\"“”]+)[\"”]", claim)
        claim = (quoted[1] if quoted else claim).rstrip(",;:-–— \t").lstrip()
        if has_content(claim):
            is_ended = claim.rstrip("\"'”’)").endswith((".", "!", "?", "…", "。"))
            claims[claim if is_ended else f"{claim}."] = None
    return list(claims)


class AnswerCache:
    """An SQLite file that keeps the claims of each question, as JSON text.

    Every call opens and closes the file, so threads and processes may share it as they like.

    Args:
        path: the file, created with its folders if need be.

    Raises:
        ClaimwiseError: if the file cannot be written or is no such cache.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser().absolute()
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")  # fails now, not later, if it cannot be written
            connection.execute("COMMIT")

    def get(self, keys: Sequence[str]) -> dict[str, list[str]]:
        """Return the claims under those of the keys that are known."""
        found: dict[str, list[str]] = {}
        with self._open() as connection:
            for key in keys:
                row = connection.execute("SELECT claims FROM answers WHERE key = ?", (key,))
                for (text,) in row:
                    found[key] = self._decode(text)
        return found

    def put(self, key: str, claims: Sequence[str]) -> None:
        """Keep ``claims`` under ``key``, unless another process was first."""
        text = json.dumps(list(claims), ensure_ascii=False)
        with self._open() as connection:
            connection.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, text))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that commits each statement, and close it in the end."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=60, isolation_level=None)) as connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, claims TEXT NOT NULL)"
                )
                yield connection
        except (OSError, sqlite3.OperationalError) as error:
            raise ClaimwiseError(
                f"The cache {self.path} cannot be used: {error}. Check that the file and its "
                f"folder can be written and the disk is not full, or choose another cache=."
            ) from error
        except (sqlite3.DatabaseError, MemoryError, UnicodeDecodeError) as error:
            raise self._corrupt(str(error)) from error

    def _decode(self, text: object) -> list[str]:
        """Return the claims that ``text`` holds, if ``put`` may have written it."""
        try:
            claims = json.loads(text) if isinstance(text, str) else None
        except ValueError:
            claims = None
        if (
            not isinstance(claims, list)
            or not claims
            or not all(isinstance(claim, str) and claim.strip() for claim in claims)
        ):
            raise self._corrupt("an entry is not a list of claims")
        return claims

    def _corrupt(self, reason: str) -> ClaimwiseError:
        return ClaimwiseError(
            f"The cache {self.path} is not a valid cache of answers: {reason}. Delete the file "
            f"(its answers will be asked for again) or choose another cache=."
        )


@dataclass(frozen=True)
class _Prompt:
    """The messages to send, with the place where the sentence goes."""

    name: str
    system: str | None
    user: str
    place: str

    @classmethod
    def read(cls, path: str | os.PathLike[str] | None) -> _Prompt:
        """Return the prompt in the file at ``path``, or the built-in one."""
        if path is None:
            return cls(DEFAULT_PROMPT_NAME, DEFAULT_SYSTEM_PROMPT, "sentence: {sentence}", "{sentence}")
        try:
            content = Path(path).expanduser().read_bytes()
            text = content.decode("utf-8-sig")
        except (OSError, TypeError, ValueError) as error:
            raise ClaimwiseError(
                f"The prompt file {path} cannot be read: {error}. Give the path of a "
                f"UTF-8 text file as prompt=, or leave it out for the built-in prompt."
            ) from error
        if not text.strip():
            raise ClaimwiseError(
                f"The prompt file {path} is empty. Write a prompt into it, with "
                f"{{sentence}} where the sentence goes."
            )
        name = hashlib.sha256(content).hexdigest()[:12]
        for place in ("{sentence}", "{}"):
            if place in text:
                return cls(name, None, text, place)
        return cls(name, text, "sentence: {sentence}", "{sentence}")

    def messages(self, sentence: str) -> list[ChatCompletionMessageParam]:
        """Return the messages of a new chat about ``sentence``."""
        messages: list[ChatCompletionMessageParam] = []
        if self.system is not None:
            messages.append({"role": "system", "content": self.system})
        messages.append({"role": "user", "content": self.user.replace(self.place, sentence)})
        return messages


@dataclass(frozen=True)
class _Endpoint:
    """A base URL, taken apart so that what may be secret in it is never shown."""

    name: str
    url: str
    query: dict[str, str] = field(repr=False)
    credentials: tuple[str, str] | None = field(repr=False)

    @classmethod
    def parse(cls, base_url: str) -> _Endpoint:
        """Return the endpoint at ``base_url``."""
        remedy = "Give something like 'http://localhost:8000/v1'."
        if not isinstance(base_url, str):
            raise ClaimwiseError(f"base_url must be text; got {type(base_url).__name__}. {remedy}")
        try:
            parts = urlsplit(base_url.strip())
            is_valid = parts.scheme in ("http", "https") and bool(parts.hostname)
            is_valid = is_valid and (parts.port is None or parts.port > 0)
        except ValueError:
            is_valid = False
        if not is_valid:
            raise ClaimwiseError(f"base_url is not an http:// or https:// address. {remedy}")
        host = parts.netloc.rpartition("@")[2]
        path = parts.path.rstrip("/")
        return cls(
            name=f"{host}{path}",
            url=urlunsplit((parts.scheme, host, path, "", "")),
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            credentials=(
                None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
            ),
        )


class _UnusableAnswerError(Exception):
    """The sentence is left whole; the message is the reason, in a word or two."""


class _EndpointError(Exception):
    """There is no use in asking on; the message says what to check."""


class _StoppedError(BaseException):
    """Another request has failed for good, or the user has pressed Ctrl-C.

    No ``Exception``, because clients before openai 3 take any of those for a lost connection and try again.
    """


def _require_openai() -> None:
    """Raise a ClaimwiseError if the package ``openai`` is not installed."""
    try:
        import openai  # noqa: F401
    except ImportError as error:
        raise ClaimwiseError(
            "The decomposer 'openai' needs the package openai: pip install '.[openai]' in a clone"
        ) from error


def _find_api_key(api_key: str | None, is_optional: bool) -> str:
    """Return the key to send, never quoting it in an error."""
    if api_key is not None and not isinstance(api_key, str):
        raise ClaimwiseError(f"api_key must be text; got {type(api_key).__name__}.")
    key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not key:
        if is_optional:
            return "no-key"
        raise ClaimwiseError(
            "The decomposer 'openai' needs an API key: set the environment variable "
            "OPENAI_API_KEY, or give base_url= of an endpoint that needs none."
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ClaimwiseError("The API key has a blank or a character that no key can have. Copy it again.")
    return key


def _check_number(name: str, value: float, low: float, high: float) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not low <= value <= high:
        raise ClaimwiseError(f"{name} must be a number from {low:g} to {high:g}; got {value!r}.")
    return float(value)


def _check_whole_number(name: str, value: int, low: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise ClaimwiseError(f"{name} must be a whole number of at least {low}; got {value!r}.")
    return value


def _check_sentences(sentences: Sequence[str]) -> None:
    """Raise a ClaimwiseError unless all rows are text that can be sent."""
    if isinstance(sentences, (str, bytes)):
        raise ClaimwiseError(
            f"Expected a list of sentences, got one bare {type(sentences).__name__}. Write "
            f"[sentence] to decompose one sentence."
        )
    for row, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise ClaimwiseError(f"sentences, row {row}: expected a string, got {type(sentence).__name__}.")
        if re.search(r"[\ud800-\udfff]", sentence):
            raise ClaimwiseError(
                f"sentences, row {row}: the text has half of a surrogate pair, which cannot be "
                f"sent. Read it in its right encoding."
            )


def _describe_fallbacks(reasons: Counter[str], total: int) -> str:
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return (
        f"{reasons.total()} of {total} sentences were left whole, because the model's answer could "
        f"not be used ({listed}). A second run asks for them again; if they stay many, try another "
        f"model= or prompt=, or a higher max_tokens=."
    )


def _shorten(text: str, length: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length - 1]}…"
