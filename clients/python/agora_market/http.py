"""Sends calls: credentials, idempotency keys, time limits, retries and errors."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterator, Literal, Mapping, TypedDict, TypeVar
from urllib.parse import quote, urlencode

from .errors import AgoraConnectionError, AgoraError, AgoraTimeoutError, RateLimitError, ServerError, error_of_reply
from .page import Page

VERSION = "0.1.0"
_USER_AGENT = f"agora-market-python/{VERSION}"

# First pause of the exponential backoff and its ceiling, in seconds.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 8.0
# Retries of a call that the server itself fails, which a restart would not mend, unless the caller says how many.
_OTHER_RETRIES = 2
_CHUNK = 65_536
# Bytes of an error's body that are read.
_LARGEST_ERROR = 1 << 20

Credential = Literal["owner", "agent", "trust", "operator"]
_HEADER: dict[str, Callable[[str], tuple[str, str]]] = {
    "owner": lambda token: ("Authorization", f"Bearer {token}"),
    "agent": lambda key: ("X-API-Key", key),
    "trust": lambda key: ("X-Trust-API-Key", key),
    "operator": lambda token: ("Authorization", f"Bearer {token}"),
}
T = TypeVar("T")


class Options(TypedDict, total=False):
    """Options of one call. They replace those of the client."""

    # Seconds of each attempt.
    timeout: float
    # Seconds for which the call is repeated that the network or the server fails.
    retry_for: float
    # Retries after the first attempt, of whatever fails.
    max_retries: int
    # The server does the call once and replays its reply for 24 hours. Made by the client if it is left out.
    idempotency_key: str
    # Sends this credential instead of the operation's usual one.
    credential: Credential


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Followed blindly, a redirect would carry X-API-Key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def path(template: str, *ids: str) -> str:
    """Fills the ids in. ValueError for an empty id or one of dots: the URL would name another endpoint."""
    for one in ids:
        if not isinstance(one, str) or one in ("", ".", ".."):
            raise ValueError(f"A path parameter must be an id, not {one!r}")
        before, _, after = template.partition("{")
        template = before + quote(one, safe="") + after.partition("}")[2]
    return template


def field(part: Any, name: str, default: float) -> float:
    """A number in a body or query that may be left out."""
    value = (part or {}).get(name)
    return default if value is None else float(value)


def backoff(attempt: int) -> float:
    """Seconds before retry number `attempt` (from 0). They double; half is random, so that clients spread out."""
    full = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(attempt, 10))
    return full / 2 + full / 2 * random.random()


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed later."""
    return isinstance(error, (ServerError, AgoraConnectionError, AgoraTimeoutError))


@dataclass(frozen=True)
class Patience:
    """How long a caller is ready to repeat a call, in seconds."""

    retry_for: float
    max_retries: int | None
    longest_wait: float


def _is_outage(error: AgoraError) -> bool:
    """No reply, that of a proxy, or of a server that names the pause after which to come back."""
    return not isinstance(error, ServerError) or error.code.startswith("HTTP_") or error.retry_after is not None


def _pause(error: AgoraError, attempt: int, elapsed: float, patience: Patience) -> float | None:
    """Seconds before the next attempt, or None if there must be none."""
    limited = isinstance(error, RateLimitError)
    if not limited and not is_transient(error):
        return None
    if patience.max_retries is not None:
        if attempt >= patience.max_retries:
            return None
    elif not limited and not _is_outage(error) and attempt >= _OTHER_RETRIES:
        return None
    # Never faster than the backoff: a proxy may ask for no pause at all, again and again.
    pause = max(error.retry_after or 0.0, backoff(attempt))
    most = max(patience.retry_for, patience.longest_wait) if limited else patience.retry_for
    return pause if pause <= patience.longest_wait and elapsed < most else None


class Http:
    """The connection of a client. It keeps no state between calls, so threads may share it."""

    def __init__(self, base_url: str, credentials: Mapping[str, str | None], timeout: float, patience: Patience) -> None:
        self._base = base_url.rstrip("/")
        self._credentials = {name: secret for name, secret in credentials.items() if secret}
        self._timeout = timeout
        self._patience = patience
        self._opener = urllib.request.build_opener(_NoRedirect)

    def has(self, credential: str) -> bool:
        return credential in self._credentials

    def json(self, method: str, url: str, auth: str, options: Options, **parts: Any) -> Any:
        """A call with a JSON reply, or None for one without a body."""
        body, status = self._call(method, url, auth, options, **parts)
        if status == 204:
            return None
        try:
            return json.loads(body)
        except ValueError as error:
            message = "The reply is not JSON; is base_url the address of an Agora server?"
            raise AgoraError(message, status=status, code="MALFORMED_REPLY") from error

    def text(self, method: str, url: str, auth: str, options: Options, **parts: Any) -> str:
        return self._call(method, url, auth, options, **parts)[0].decode("utf-8")

    def list(self, method: str, url: str, auth: str, options: Options, query: Any = None, **parts: Any) -> Page[Any]:
        def fetch(cursor: str | None) -> Any:
            wanted = dict(query or {}) if cursor is None else {**(query or {}), "cursor": cursor}
            return self.json(method, url, auth, options, query=wanted, **parts)

        return Page(fetch(None), fetch)

    def chunks(self, method: str, url: str, auth: str, options: Options, **parts: Any) -> Iterator[bytes]:
        """Yields a long reply as it arrives. AgoraConnectionError if it breaks off."""
        response = self.open(method, url, auth, options, **parts)

        def read() -> Iterator[bytes]:
            with response:
                yield from _body(response, f"{method} {url}", None)

        return read()

    def open(self, method: str, url: str, auth: str, options: Options, **parts: Any) -> http.client.HTTPResponse:
        """Opens a reply and leaves its body to the caller. The time limit holds for each read."""
        return self._retrying(method, url, auth, options, lambda response, _: response, **parts)

    def _call(self, method: str, url: str, auth: str, options: Options, **parts: Any) -> tuple[bytes, int]:
        def read(response: http.client.HTTPResponse, deadline: float) -> tuple[bytes, int]:
            with response:
                return b"".join(_body(response, f"{method} {url}", deadline)), response.status

        return self._retrying(method, url, auth, options, read, **parts)

    def _retrying(
        self,
        method: str,
        url: str,
        auth: str,
        options: Options,
        read: Callable[[http.client.HTTPResponse, float], T],
        extra_seconds: float = 0,
        **parts: Any,
    ) -> T:
        request = self._request(method, url, auth, options, **parts)
        limit = options.get("timeout", self._timeout + extra_seconds)
        patience = replace(
            self._patience,
            retry_for=options.get("retry_for", self._patience.retry_for),
            max_retries=options.get("max_retries", self._patience.max_retries),
        )
        begun = time.monotonic()
        attempt = 0
        while True:
            try:
                return self._attempt(request, limit, read, f"{method} {url}")
            except AgoraError as error:
                pause = _pause(error, attempt, time.monotonic() - begun, patience)
                if pause is None:
                    raise
                time.sleep(pause)
            attempt += 1

    def _attempt(
        self,
        request: urllib.request.Request,
        limit: float,
        read: Callable[[http.client.HTTPResponse, float], T],
        call: str,
    ) -> T:
        deadline = time.monotonic() + limit
        try:
            return read(self._opener.open(request, timeout=limit), deadline)
        except urllib.error.HTTPError as reply:
            with reply:
                headers = {name.lower(): value for name, value in reply.headers.items()}
                raise error_of_reply(reply.code, headers, reply.read(_LARGEST_ERROR)) from None
        except (OSError, http.client.HTTPException) as error:
            raise transport_error(error, call) from error

    def _request(
        self,
        method: str,
        url: str,
        auth: str,
        options: Options,
        query: Any = None,
        body: Any = None,
        content: bytes | None = None,
        accept: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> urllib.request.Request:
        search = urlencode({name: _text(value) for name, value in (query or {}).items() if value is not None})
        data = content if body is None else json.dumps(body).encode("utf-8")
        request = urllib.request.Request(f"{self._base}{url}{'?' + search if search else ''}", data, method=method)
        request.add_header("Accept", accept)
        request.add_header("User-Agent", _USER_AGENT)
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        credential = options.get("credential") or ("owner" if auth == "party" and self.has("owner") else "agent" if auth == "party" else auth)
        if self.has(credential):
            request.add_header(*_HEADER[credential](self._credentials[credential]))
        if data is not None:
            request.add_header("Content-Type", "application/json" if content is None else "application/octet-stream")
        if method != "GET":
            # The same in every attempt, so that the server does the call once.
            request.add_header("Idempotency-Key", options.get("idempotency_key") or str(uuid.uuid4()))
        return request


def transport_error(error: BaseException, call: str) -> AgoraError:
    """A failure below HTTP as the error that a caller gets."""
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError) or "timed out" in str(reason):
        return AgoraTimeoutError(f"{call} gave no complete reply in time.", code="TIMEOUT")
    return AgoraConnectionError(f"{call} got no complete reply: {reason}.", code="CONNECTION_ERROR")


def _body(response: http.client.HTTPResponse, call: str, deadline: float | None) -> Iterator[bytes]:
    """The pieces of a body. A short one is an error: `read1` does not notice that one was cut."""
    length = response.headers.get("Content-Length")
    received = 0
    while True:
        try:
            piece = response.read1(_CHUNK)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise transport_error(error, call) from error
        if not piece:
            break
        received += len(piece)
        yield piece
        if deadline is not None and time.monotonic() > deadline:
            raise AgoraTimeoutError(f"{call} gave no complete reply in time.", code="TIMEOUT")
    if length is not None and received < int(length):
        raise AgoraConnectionError(f"{call} broke off after {received} of {length} bytes.", code="CONNECTION_ERROR")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
