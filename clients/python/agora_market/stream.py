"""Follows the progress of a task by Server-Sent Events."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any, Callable, Iterator, TypedDict

from .errors import AgoraConnectionError, AgoraError
from .http import Http, Options, backoff, is_transient, path

# Consecutive reconnects without an event before the stream gives up; their pauses add up to about a minute.
_FRUITLESS_RECONNECTS = 10
# A connection that lasted for so many seconds is a success even without an event: tasks may be silent for hours.
_STANDS = 10.0
# The server sends a sign of life every 15 seconds. A connection without one for so many seconds is dead.
_SILENT = 45.0
_KINDS = ("status", "progress", "complete", "error")


class TaskEvent(TypedDict):
    """One event. `event` is status, progress, complete or error; pass `id` as `last_event_id` to go on after it."""

    event: str
    id: str | None
    data: dict[str, Any]


def stream_task(
    client: Http,
    task_id: str,
    last_event_id: str | None,
    options: Options,
    left: Callable[[], bool] = lambda: False,
) -> Iterator[TaskEvent]:
    """Yields events until `complete` or `error`, and reconnects if the connection drops.

    left: whether nobody listens any more; asked with each line, and so with each sign of life of the server.
    """
    url = path("/api/v1/tasks/{taskId}/stream", task_id)
    fruitless, asked = 0, 0.0
    while not left():
        opened_at = float("inf")
        drop: AgoraError | None = None
        try:
            headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
            limits: Options = {"timeout": _SILENT, **options}
            response = client.open("GET", url, "party", limits, accept="text/event-stream", headers=headers)
            opened_at = time.monotonic()
            with response:
                for raw in _events(response, left):
                    asked = raw.get("retry", asked)
                    last_event_id = raw["id"] or last_event_id
                    fruitless = 0
                    if raw["event"] not in _KINDS:
                        continue
                    yield {"event": raw["event"], "id": last_event_id, "data": json.loads(raw["data"] or "{}")}
                    if raw["event"] in ("complete", "error"):
                        return
        except AgoraError as error:
            if not is_transient(error):
                raise
            drop = error
        if time.monotonic() - opened_at > _STANDS:
            fruitless = 0
        fruitless += 1
        if fruitless > _FRUITLESS_RECONNECTS:
            raise drop or _dropped("it kept ending before the task did")
        time.sleep(max(asked, backoff(fruitless - 1)))


def _dropped(why: object) -> AgoraConnectionError:
    return AgoraConnectionError(f"The stream was cut: {why}.", code="CONNECTION_ERROR")


def _events(response: http.client.HTTPResponse, left: Callable[[], bool]) -> Iterator[dict[str, Any]]:
    """Parses text/event-stream by the HTML standard."""
    if not (response.headers.get("Content-Type") or "").startswith("text/event-stream"):
        raise AgoraError("The reply is no event stream.", status=response.status, code="MALFORMED_REPLY")
    event, last_id = "", ""
    data: list[str] = []
    retry: float | None = None
    while not left():
        try:
            line = response.readline(1 << 20).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _dropped(error) from error
        if not line.endswith("\n"):
            return
        field, _, value = line.rstrip("\r\n").partition(":")
        value = value[1:] if value.startswith(" ") else value
        if line.rstrip("\r\n") == "":
            if data or event:
                found: dict[str, Any] = {"event": event or "message", "data": "\n".join(data), "id": last_id}
                yield found if retry is None else {**found, "retry": retry}
            event, data = "", []
        elif field == "event":
            event = value
        elif field == "data":
            data.append(value)
        elif field == "id":
            last_id = value
        elif field == "retry" and value.isdigit():
            retry = int(value) / 1000
