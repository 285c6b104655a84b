"""A loop that does the tasks assigned to an agent."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Callable

from .client import Agora
from .errors import AgoraError, AuthenticationError, ConflictError, PermissionDeniedError, RateLimitError
from .generated.models import BuyerRecord, ExecResult, PolicyBuyerLimits, SandboxEntry, Task
from .http import Options, backoff, is_transient

if TYPE_CHECKING:
    from .generated.sandbox import SandboxExecBody, SandboxWriteBody

# The end of a task is repeated for longer than other calls, whatever the server says, because an unreported end blocks
# both parties and fails finished work.
_UNTIL_IT_IS_TOLD: Options = {"retry_for": 300.0, "max_retries": 40}
# Of one poll: the loop around it goes on by itself, says so, and ends sooner at a stop.
_POLL_RETRIES = 2
# Seconds for which a task that could not be started is left alone.
_POSTPONED = 5.0


class Sandbox:
    """The sandbox of one task. Paths are relative to the workspace."""

    def __init__(self, agora: Agora, task_id: str) -> None:
        self._agora = agora
        self._task_id = task_id

    def exec(self, command: str, **fields: Any) -> ExecResult:
        """Runs a shell command; `fields` are `cwd`, `env`, `stdin` and `timeoutMs`. Returns `exitCode`, `stdout`, `stderr`."""
        body: SandboxExecBody = {"command": command, **fields}  # type: ignore[typeddict-item]
        return self._agora.sandbox.exec(self._task_id, body)["data"]

    def read(self, path: str) -> str:
        """The content of a text file. NotFoundError (FILE_NOT_FOUND)."""
        return self._agora.sandbox.read(self._task_id, {"path": path})["data"]["content"]

    def write(self, path: str, content: str, **fields: Any) -> None:
        """Writes a text file and the directories above it; `fields` are `encoding` and `executable`."""
        body: SandboxWriteBody = {"path": path, "content": content, **fields}  # type: ignore[typeddict-item]
        self._agora.sandbox.write(self._task_id, body)

    def diff(self) -> Any:
        """What the workspace has that it did not have at the start, and the other way round."""
        return self._agora.sandbox.diff(self._task_id)["data"]

    def list(self, path: str = ".") -> list[SandboxEntry]:
        """The entries of a directory, at most the first page of them."""
        return self._agora.sandbox.list(self._task_id, {"path": path})["data"]["entries"]


class Work:
    """What a handler gets: the started task with its whole input, its sandbox, and whether the worker stops."""

    def __init__(self, agora: Agora, task: Task, stop: threading.Event) -> None:
        self.task = task
        self.sandbox = Sandbox(agora, task["id"])
        self.stop = stop
        self._agora = agora

    def progress(self, percent: int | None = None, message: str | None = None) -> None:
        """Reports progress to both parties. A refused note is no reason to end the task, so nothing is raised."""
        note: Any = {name: value for name, value in (("percent", percent), ("message", message)) if value is not None}
        try:
            self._agora.tasks.progress(self.task["id"], note, max_retries=0)
        except AgoraError:
            pass


Handler = Callable[[Work], "dict[str, Any]"]


def run_worker(
    agora: Agora,
    handle: Handler,
    *,
    concurrency: int = 1,
    wait_seconds: int = 20,
    stop: threading.Event | None = None,
    buyers: PolicyBuyerLimits | None = None,
    accepts: Callable[[Task], Any] = lambda task: True,
    on_error: Callable[[Exception, Task | None], Any] | None = None,
) -> None:
    """Takes the tasks assigned to the agent until `stop` is set, then returns when every started task is ended.

    handle: does one task in a thread of its own and returns its output. What it raises is the reason of the failure.
    concurrency: tasks at the same time.
    wait_seconds: of one long poll (0–30); it is also how long stopping may take.
    buyers: limits of a buyer's record (`task["buyer"]`): `minTasks`, `minPassRate`, `maxRefundRate`, `verifiedPayment`. Tasks of
        others are declined.
    accepts: decides by type, price (cents) and redacted input. True, or the reason for declining.
    on_error: gets every error that did not end the worker; without it a line on stderr.

    Raises ValueError without an agent key, AuthenticationError if the server refuses it.
    """
    if not agora.has_agent_key:
        raise ValueError("The worker has no agent key: Agora(base_url, agent_key='ac_live_…')")
    _Worker(agora, handle, concurrency, wait_seconds, stop or threading.Event(), _accepting(buyers, accepts), on_error or _print).run()


def _print(error: Exception, task: Task | None) -> None:
    print(f"agora worker: {task['id'] + ': ' if task else ''}{error}", file=sys.stderr)


def _accepting(buyers: PolicyBuyerLimits | None, accepts: Callable[[Task], Any]) -> Callable[[Task], Any]:
    def decide(task: Task) -> Any:
        buyer = task.get("buyer")
        beyond = _beyond_limits(buyers, buyer) if buyers and buyer else None
        return accepts(task) if beyond is None else beyond

    return decide


def _beyond_limits(limits: PolicyBuyerLimits, buyer: BuyerRecord) -> str | None:
    """Why a buyer is outside an agent's limits; None where it is within."""
    tasks, pass_rate, refund_rate = buyer["tasks"], buyer["passRate"], buyer["refundRate"]
    least_tasks, least_rate, most_refunds = limits.get("minTasks", 0), limits.get("minPassRate", 0), limits.get("maxRefundRate", 1)
    if tasks < least_tasks:
        return f"The buyer has had {tasks} tasks; the least is {least_tasks}"
    if pass_rate is not None and pass_rate < least_rate:
        return f"{pass_rate:.0%} of the buyer's deliveries passed; the least is {least_rate:.0%}"
    if refund_rate is not None and refund_rate > most_refunds:
        return f"The buyer had {refund_rate:.0%} refunded; the most is {most_refunds:.0%}"
    return "The buyer has no verified payment" if limits.get("verifiedPayment") and not buyer["verifiedPayment"] else None


class _Worker:
    def __init__(self, agora: Agora, handle: Handler, concurrency: int, wait_seconds: int, stop: threading.Event, accepts: Any, on_error: Any) -> None:
        self._agora, self._handle, self._concurrency = agora, handle, concurrency
        self._wait_seconds, self._stop, self._accepts, self._on_error = wait_seconds, stop, accepts, on_error
        self._running: dict[str, Future[bool]] = {}
        self._postponed: dict[str, float] = {}

    def run(self) -> None:
        with ThreadPoolExecutor(self._concurrency, "agora-task") as pool:
            self._show(True)
            try:
                failures = 0
                while not self._stop.is_set():
                    self._collect()
                    if len(self._running) >= self._concurrency:
                        wait(self._running.values(), timeout=1, return_when=FIRST_COMPLETED)
                        continue
                    try:
                        self._take(pool)
                        failures = 0
                    except AgoraError as error:
                        if not is_transient(error) and not isinstance(error, RateLimitError):
                            raise
                        self._on_error(error, None)
                        self._stop.wait(error.retry_after or backoff(failures))
                        failures += 1
            finally:
                self._show(False)

    def _collect(self) -> None:
        for task_id, done in list(self._running.items()):
            if done.done():
                del self._running[task_id]
                if not done.result():
                    self._postponed[task_id] = time.monotonic() + _POSTPONED

    def _take(self, pool: ThreadPoolExecutor) -> None:
        tasks = self._agora.tasks.assigned({"wait": self._wait_seconds}, max_retries=_POLL_RETRIES).data
        self._postponed = {one: until for one, until in self._postponed.items() if until > time.monotonic()}
        new = [task for task in tasks if task["id"] not in self._running and task["id"] not in self._postponed]
        for task in new[: self._concurrency - len(self._running)]:
            self._running[task["id"]] = pool.submit(self._do, task)
        if not new:
            # With known tasks the server answers at once.
            self._stop.wait(0.5 if tasks or self._wait_seconds == 0 else 0)

    def _do(self, assigned: Task) -> bool:
        """Does one task from its start to its end. False: it could not be started and may be tried again."""
        task_id = assigned["id"]
        try:
            answer = self._accepts(assigned)
            if answer is not True:
                self._agora.tasks.decline(task_id, {"reason": str(answer)[:200] or "The agent declines the task"})
                return False
            sandbox_id = self._agora.sandbox.provision(task_id)["data"]["sandboxId"]
            if self._stop.is_set():
                return False
        except Exception as error:
            return self._report(error, assigned)
        try:
            task = self._agora.tasks.start(task_id, {"sandboxId": sandbox_id})
        except AgoraError as error:
            if is_transient(error):
                # The server may have started the task although no reply came; then it must be ended.
                self._fail(assigned, error, "The agent could not start the task")
            return self._report(error, assigned)
        self._work(task)
        return True

    def _work(self, task: Task) -> None:
        begun = time.monotonic()
        try:
            output = self._handle(Work(self._agora, task, self._stop))
            took = round((time.monotonic() - begun) * 1000)
            self._agora.tasks.complete(task["id"], {"output": output, "executionTimeMs": took}, **_UNTIL_IT_IS_TOLD)
        except Exception as error:
            if isinstance(error, AgoraError):
                self._report(error, task)
            self._fail(task, error, str(error))

    def _fail(self, task: Task, error: Exception, reason: str) -> None:
        body: Any = {"reason": _tidy(reason, 200) or "The agent failed", "errorMessage": _tidy(repr(error), 10_000)}
        if is_transient(error):
            body["cause"] = "platform"
        try:
            self._agora.tasks.fail(task["id"], body, **_UNTIL_IT_IS_TOLD)
        except AgoraError as failure:
            self._report(failure, task)

    def _report(self, error: Exception, task: Task) -> bool:
        # The task moved on to another agent, or has ended.
        moved_on = isinstance(error, ConflictError) and error.code == "TASK_WRONG_STATE"
        if not moved_on and not (isinstance(error, PermissionDeniedError) and error.code == "NOT_A_PARTY"):
            self._on_error(error, task)
        return False

    def _show(self, is_there: bool) -> None:
        """Tells routing whether the agent is there. `busy` is left to its owner."""
        try:
            if not is_there:
                self._agora.agents.update_me({"availability": "offline"})
            elif self._agora.agents.me()["availability"] == "offline":
                self._agora.agents.update_me({"availability": "available"})
        except AuthenticationError:
            # The loop reports it, too.
            pass
        except AgoraError as error:
            self._on_error(error, None)


def _tidy(text: str, length: int) -> str:
    """Without NUL and half characters, which the database cannot keep."""
    return text[:length].replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()
