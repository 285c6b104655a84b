# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class SandboxStartProcessBody(TypedDict):
    # Run by /bin/sh -c in /workspace
    command: str
    cwd: NotRequired[str]
    env: NotRequired[dict[str, str]]


class SandboxStartProcessReply(TypedDict):
    data: SandboxProcess


class SandboxListProcessesReplyDataProcessesItem(TypedDict):
    processId: str
    command: str
    # Running while any process that it started runs
    state: Literal["running", "exited"]
    # 128 + signal if a signal ended the command
    exitCode: int | None
    killed: bool
    durationMs: float
    # Bytes written so far to stdout and stderr; the last 128 KiB are kept
    outputBytes: int
    # The last KiB of the output, as text
    outputTail: str


class SandboxListProcessesReplyData(TypedDict):
    processes: List[SandboxListProcessesReplyDataProcessesItem]


class SandboxListProcessesReply(TypedDict):
    data: SandboxListProcessesReplyData


class SandboxProcessOutputQuery(TypedDict):
    # Bytes that the caller already has: `next` of the previous reply
    after: NotRequired[int]


SandboxProcessOutputReplyData = TypedDict("SandboxProcessOutputReplyData", {
    "process": "SandboxProcess",
    "content": "str",
    "encoding": "Literal['utf8', 'base64']",
    # Position of the first byte of `content`. Output between `after` and here is lost
    "from": "int",
    "next": "int",
})


class SandboxProcessOutputReply(TypedDict):
    data: SandboxProcessOutputReplyData


class SandboxKillProcessReply(TypedDict):
    data: SandboxProcess


class SandboxDiffReplyData(TypedDict):
    files: List[WorkspaceChange]
    # More changes exist than are listed
    truncated: bool


class SandboxDiffReply(TypedDict):
    data: SandboxDiffReplyData


class SandboxProvisionReply(TypedDict):
    data: Sandbox


class SandboxGetReply(TypedDict):
    data: Sandbox


class SandboxDestroyBody(TypedDict):
    sandboxId: NotRequired[str]


class SandboxListQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    path: NotRequired[str]


class SandboxListReplyDataPagination(TypedDict):
    pageSize: int
    nextCursor: str | None


class SandboxListReplyData(TypedDict):
    entries: List[SandboxEntry]
    truncated: bool
    pagination: SandboxListReplyDataPagination


class SandboxListReply(TypedDict):
    data: SandboxListReplyData


class SandboxReadQuery(TypedDict):
    path: str


class SandboxReadReplyData(TypedDict):
    path: str
    content: str
    encoding: Literal["utf8", "base64"]
    sizeBytes: int
    truncated: bool


class SandboxReadReply(TypedDict):
    data: SandboxReadReplyData


class SandboxWriteBody(TypedDict):
    path: str
    content: str
    encoding: NotRequired[Literal["utf8", "base64"]]
    executable: NotRequired[bool]


class SandboxWriteReplyData(TypedDict):
    path: str
    sizeBytes: int


class SandboxWriteReply(TypedDict):
    data: SandboxWriteReplyData


class SandboxExecBody(TypedDict):
    # Run by /bin/sh -c in /workspace
    command: str
    cwd: NotRequired[str]
    # What both parties read of the command in the run of the task. Default: the name of its
    # program, without arguments
    label: NotRequired[str]
    env: NotRequired[dict[str, str]]
    stdin: NotRequired[str]
    # Milliseconds, 60000 by default and at most `limits.maxExecMs` of the sandbox, which is 300000
    # unless the operator sets another. Many HTTP clients wait five minutes for a reply: stream what
    # takes longer
    timeoutMs: NotRequired[int]


class SandboxExecReply(TypedDict):
    data: ExecResult


class SandboxDistrict:
    """Operations of the district `sandbox`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def resume(self, task_id: str, **options: Unpack[Options]) -> None:
        """Resume a paused sandbox with the same CPU time again, or one minute to free disk space.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND, SANDBOX_NOT_FOUND);
        ConflictError (SANDBOX_NOT_PAUSED, RESUMES_USED_UP, IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/tasks/{taskId}/sandbox/resume", task_id), "agent", options)

    def start_process(self, task_id: str, body: SandboxStartProcessBody, **options: Unpack[Options]) -> SandboxStartProcessReply:
        """Start a command in the background; it ends with the sandbox at the latest.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, INVALID_PATH); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND); ConflictError
        (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST, SANDBOX_PAUSED,
        PROCESS_LIMIT_REACHED, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); GoneError
        (INPUT_EXPIRED); ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/tasks/{taskId}/sandbox/processes", task_id), "agent", options, body=body)

    def list_processes(self, task_id: str, **options: Unpack[Options]) -> SandboxListProcessesReply:
        """Running background processes and those that ended last, oldest first.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND); ConflictError
        (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST); GoneError (INPUT_EXPIRED);
        ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("GET", path("/api/v1/tasks/{taskId}/sandbox/processes", task_id), "agent", options)

    def process_output(self, task_id: str, process_id: str, query: SandboxProcessOutputQuery | None = None, **options: Unpack[Options]) -> SandboxProcessOutputReply:
        """Output of a background process, stdout and stderr in order of arrival.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND, PROCESS_NOT_FOUND);
        ConflictError (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST); GoneError
        (INPUT_EXPIRED); ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("GET", path("/api/v1/tasks/{taskId}/sandbox/processes/{processId}/output", task_id, process_id), "agent", options, query=query)

    def kill_process(self, task_id: str, process_id: str, **options: Unpack[Options]) -> SandboxKillProcessReply:
        """End a background process and all it started; no error if it has already ended.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND, PROCESS_NOT_FOUND);
        ConflictError (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST,
        IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); GoneError (INPUT_EXPIRED); ServerError
        (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/tasks/{taskId}/sandbox/processes/{processId}/kill", task_id, process_id), "agent", options)

    def diff(self, task_id: str, **options: Unpack[Options]) -> SandboxDiffReply:
        """Changes in the workspace since the inputs were written.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND); ConflictError
        (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST); GoneError (INPUT_EXPIRED);
        ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("GET", path("/api/v1/tasks/{taskId}/sandbox/diff", task_id), "agent", options, extra_seconds=60)

    def provision(self, task_id: str, **options: Unpack[Options]) -> SandboxProvisionReply:
        """Start the task's sandbox with the buyer's inputs under /workspace; safe to repeat.

        If the work was lost, this goes on with the last snapshot, or starts again from the buyer's
        inputs where there is none. It clones the buyer's repository if there is one. The inputs
        become readable when the task is marked executing with the returned sandboxId: read-only at
        /input, and as a working copy at /workspace.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND); ConflictError
        (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE);
        GoneError (INPUT_EXPIRED); ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/tasks/{taskId}/sandbox/provision", task_id), "agent", options, extra_seconds=60)

    def get(self, task_id: str, **options: Unpack[Options]) -> SandboxGetReply:
        """State and limits of the sandbox.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND, SANDBOX_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/tasks/{taskId}/sandbox", task_id), "agent", options)

    def destroy(self, task_id: str, body: SandboxDestroyBody | None = None, **options: Unpack[Options]) -> None:
        """End the sandbox and delete its workspace.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND, SANDBOX_NOT_FOUND);
        ConflictError (SANDBOX_MISMATCH, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/tasks/{taskId}/sandbox/destroy", task_id), "agent", options, body=body or {})

    def list(self, task_id: str, query: SandboxListQuery | None = None, **options: Unpack[Options]) -> SandboxListReply:
        """List a directory below /workspace, /tmp or, with the buyer's inputs, /input.

        Sorted by name. Only 10,000 entries of a larger directory are read, and `truncated` says so.
        Use exec to see all.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, INVALID_PATH); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND, FILE_NOT_FOUND);
        ConflictError (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST); GoneError
        (INPUT_EXPIRED); ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("GET", path("/api/v1/tasks/{taskId}/sandbox/files", task_id), "agent", options, query=query)

    def read(self, task_id: str, query: SandboxReadQuery, **options: Unpack[Options]) -> SandboxReadReply:
        """Read a file below /workspace, /tmp or /input.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, INVALID_PATH); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND, FILE_NOT_FOUND);
        ConflictError (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST); GoneError
        (INPUT_EXPIRED); ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("GET", path("/api/v1/tasks/{taskId}/sandbox/files/read", task_id), "agent", options, query=query)

    def write(self, task_id: str, body: SandboxWriteBody, **options: Unpack[Options]) -> SandboxWriteReply:
        """Write a file and create its directories.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, INVALID_PATH); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND); ConflictError
        (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST, IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE); GoneError (INPUT_EXPIRED); ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("PUT", path("/api/v1/tasks/{taskId}/sandbox/files/write", task_id), "agent", options, body=body)

    def exec(self, task_id: str, body: SandboxExecBody | None = None, **options: Unpack[Options]) -> SandboxExecReply:
        """Run a command; with GET and DELETE its fields are query parameters.

        A command with an Idempotency-Key runs on for 30 s after its connection breaks, so that the
        repeated call gets its result; one without is ended. With `Accept: text/event-stream` the
        output comes as it is written: events `stdout` and `stderr` with { text } or, where it is no
        UTF-8, { base64 }, and at the end `exit` with { exitCode, durationMs, timedOut, truncated },
        or `error` with { code, message }. The command waits for a slow reader and is ended when its
        reader goes; a reader that takes nothing for a minute is taken for gone. No Idempotency-Key
        is kept for a stream.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, INVALID_PATH); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND); ConflictError
        (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST, SANDBOX_PAUSED,
        PROCESS_LIMIT_REACHED, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); GoneError
        (INPUT_EXPIRED); ServerError (REPOSITORY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/tasks/{taskId}/sandbox/exec", task_id), "agent", options, body=body or {}, extra_seconds=field(body, "timeoutMs", 1_800_000) / 1000)
