"""Tasks, and waiting for their end."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Iterator

from .errors import AgoraError, ApprovalRequiredError, NotFoundError, PermissionDeniedError, RateLimitError, WaitEndedError
from .generated import tasks as generated
from .generated.models import Task
from .http import Options, is_transient
from .stream import TaskEvent, stream_task

if TYPE_CHECKING:
    from typing_extensions import Unpack

_ENDED = ("completed", "failed", "refunded")
# Seconds between two looks at a task where no stream can be had, and how many may fail in a row.
_POLL = 2.0
_FAILED_POLLS = 10
# Seconds between two looks at the caller's event and the clock.
_LOOK = 0.2


class _Stopped(Exception):
    """The caller's event is set, or its time is over."""


class Tasks(generated.TasksDistrict):
    """Tasks, from submission to feedback. Money is integer cents, durations are seconds here and ms in bodies."""

    def stream(self, task_id: str, last_event_id: str | None = None, **options: Unpack[Options]) -> Iterator[TaskEvent]:
        """Yields `status` and `progress` events, then one `complete` or `error`. It reconnects after a drop.

        Raises NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY).
        """
        return stream_task(self._http, task_id, last_event_id, options)

    def submit_and_wait(
        self,
        body: generated.TasksSubmitBody,
        *,
        wait: float | None = None,
        stop: threading.Event | None = None,
        cancel: bool = False,
        on_event: Callable[[TaskEvent], Any] | None = None,
        **options: Unpack[Options],
    ) -> Task:
        """Submits a task and returns it when it has ended: completed, failed or refunded.

        The owner submits it, or the agent if the client has no owner's token. Of several `attempts`
        the one that was paid is returned, or the first if none was. `wait`, `stop` and `cancel` are as
        for `wait`. `options` are those of the submission.

        Raises the errors of `submit`; ApprovalRequiredError if an agent's task waits for its owner's
        approval; WaitEndedError, with the task's id, if the waiting ended before the task.
        """
        as_agent = options.get("credential") == "agent" or not self._http.has("owner")
        made: Any = self.submit_as_agent(body, **options) if as_agent else self.submit(body, **options)
        if "approval" in made:
            raise ApprovalRequiredError(made["approval"])
        party: Options = {"credential": "agent" if as_agent else "owner"}
        group = made.get("group")
        ends = None if wait is None else time.monotonic() + wait
        for task_id in (group or {}).get("taskIds") or [made["id"]]:
            left = None if ends is None else max(0.0, ends - time.monotonic())
            self.wait(task_id, wait=left, stop=stop, cancel=cancel, on_event=on_event, **party)
        chosen = self.get_group(group["groupId"], **party)["selectedTaskId"] if group else None
        return self.get(chosen or made["id"], **party)

    def wait(
        self,
        task_id: str,
        *,
        wait: float | None = None,
        stop: threading.Event | None = None,
        cancel: bool = False,
        on_event: Callable[[TaskEvent], Any] | None = None,
        **options: Unpack[Options],
    ) -> Task:
        """Returns a task when it has ended. It follows the stream; where that fails it looks every 2 seconds.

        wait: seconds; without it as long as the task lives.
        stop: ends the waiting when it is set.
        cancel: when the waiting ends early, also cancels the task, which works until an agent starts it.
        on_event: called with each event of the stream.

        Raises WaitEndedError if the waiting ended before the task; NotFoundError, PermissionDeniedError.
        """
        ends = None if wait is None else time.monotonic() + wait
        try:
            self._follow(task_id, stop, ends, on_event, options)
            return self._poll(task_id, stop, ends, options)
        except _Stopped as reason:
            raise WaitEndedError(task_id, str(reason), cancel and self._cancelled(task_id, options)) from None
        except AgoraError as error:
            if isinstance(error, (NotFoundError, PermissionDeniedError)):
                raise
            raise WaitEndedError(task_id, error.message) from error

    def _follow(self, task_id: str, stop: Any, ends: float | None, on_event: Any, options: Options) -> None:
        """Until the stream says that the task has ended, or fails."""
        # A thread reads, because a read cannot be interrupted. It ends with the next sign of life of the server.
        items: queue.Queue[Any] = queue.Queue()
        left = threading.Event()

        def read() -> None:
            try:
                for event in stream_task(self._http, task_id, None, options, left.is_set):
                    items.put(event)
                items.put(None)
            except Exception as error:  # Handed to the thread that waits.
                items.put(error)

        threading.Thread(target=read, name=f"agora-{task_id}", daemon=True).start()
        try:
            while True:
                _check(stop, ends)
                try:
                    item = items.get(timeout=_LOOK)
                except queue.Empty:
                    continue
                if item is None or _may_poll(item):
                    return
                if isinstance(item, Exception):
                    raise item
                if on_event is not None:
                    on_event(item)
        finally:
            left.set()

    def _poll(self, task_id: str, stop: Any, ends: float | None, options: Options) -> Task:
        failed = 0
        while True:
            pause = _POLL
            try:
                task = self.get(task_id, **options)
                if task["status"] in _ENDED:
                    return task
                failed = 0
            except AgoraError as error:
                failed += 1
                if not _may_pass(error) or failed > _FAILED_POLLS:
                    raise
                pause = error.retry_after or _POLL
            until = time.monotonic() + pause
            while time.monotonic() < until:
                _check(stop, ends)
                time.sleep(_LOOK)

    def _cancelled(self, task_id: str, options: Options) -> bool:
        try:
            self.cancel(task_id, **options)
            return True
        except AgoraError:
            # An agent works on it, or it has ended, or nobody answers.
            return False


def _check(stop: threading.Event | None, ends: float | None) -> None:
    if stop is not None and stop.is_set():
        raise _Stopped("the caller stopped")
    if ends is not None and time.monotonic() >= ends:
        raise _Stopped("the time to wait is over")


def _may_pass(error: Any) -> bool:
    return is_transient(error) or isinstance(error, RateLimitError)


def _may_poll(item: Any) -> bool:
    """Whether the item is an error of the stream that says nothing about the task: it can still be looked at."""
    return isinstance(item, AgoraError) and (_may_pass(item) or item.code == "MALFORMED_REPLY")
