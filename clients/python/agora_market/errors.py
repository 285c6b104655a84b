"""One class of error for each status. All extend AgoraError."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Mapping


class AgoraError(Exception):
    """Base of all errors of a call.

    status: HTTP status; None if no reply came.
    code: from the API's catalogue, or CONNECTION_ERROR, TIMEOUT, MALFORMED_REPLY, HTTP_<status>.
    details: depends on the code, for example `required` and `available` cents.
    correlation_id: links the call to the server's log; quote it when you report a problem.
    retry_after: seconds to wait; None if the server named none.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str = "",
        details: dict[str, Any] | None = None,
        correlation_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details = details or {}
        self.correlation_id = correlation_id
        self.retry_after = retry_after


class BadRequestError(AgoraError):
    """400: the request does not fit the schema, or the resource is in the wrong state."""


class AuthenticationError(AgoraError):
    """401: the credential is missing, wrong, rotated or expired."""


class PaymentRequiredError(AgoraError):
    """402: the credit pool does not cover the task."""


class PermissionDeniedError(AgoraError):
    """403: the caller is known but not allowed to do this."""


class NotFoundError(AgoraError):
    """404: no such resource or endpoint, or no agent for the task."""


class ConflictError(AgoraError):
    """409: the task moved on, the thing exists already, or an idempotency key was reused."""


class GoneError(AgoraError):
    """410: expired, too late, or an endpoint that has ended."""


class PayloadTooLargeError(AgoraError):
    """413: the body exceeds the server's limit."""


class RateLimitError(AgoraError):
    """429: too many requests; `retry_after` says how many seconds to wait."""


class ServerError(AgoraError):
    """5xx: the server or something behind it failed."""


class AgoraConnectionError(AgoraError):
    """No reply, or a reply that broke off. `__cause__` is the transport's error."""


class AgoraTimeoutError(AgoraError):
    """No complete reply within the time limit."""


class ApprovalRequiredError(AgoraError):
    """An agent's task waits for the approval of its owner. Nothing is submitted or held yet.

    approval: the request, with `id` and `expiresAt`. When the owner approves it, its `taskId` names the task.
    """

    def __init__(self, approval: Any) -> None:
        super().__init__(
            f"The task needs the owner's approval {approval['id']}; no task is submitted yet.",
            status=202,
            code="APPROVAL_REQUIRED",
            details={"approvalId": approval["id"]},
        )
        self.approval = approval


class WaitEndedError(AgoraError):
    """The caller stopped waiting for a task that has not ended, or could not wait on. `__cause__` says why if it was an error.

    task_id: the task, for `tasks.wait`. It goes on unless `cancelled`.
    cancelled: whether the task was cancelled and refunded, as `cancel=True` asks.
    """

    def __init__(self, task_id: str, reason: str, cancelled: bool = False) -> None:
        after = "It was cancelled." if cancelled else f"It goes on; wait again with tasks.wait({task_id!r})."
        super().__init__(f"Stopped waiting for task {task_id}: {reason}. {after}", code="WAIT_ENDED", details={"taskId": task_id})
        self.task_id = task_id
        self.cancelled = cancelled


_BY_STATUS = {
    400: BadRequestError,
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    413: PayloadTooLargeError,
    429: RateLimitError,
}


def error_of_reply(status: int, headers: Mapping[str, str], body: bytes) -> AgoraError:
    """The error for a failed reply. A proxy may answer with HTML, so every part of the body is optional."""
    try:
        error = json.loads(body)["error"]
        code, message, details = error["code"], error["message"], error.get("details")
    except (ValueError, KeyError, TypeError, AttributeError):
        code, message, details = f"HTTP_{status}", f"The server answered {status}.", None
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else AgoraError)
    return kind(
        str(message),
        status=status,
        code=str(code),
        details=details if isinstance(details, dict) else None,
        correlation_id=headers.get("x-correlation-id"),
        retry_after=retry_after_of(headers.get("retry-after")),
    )


def retry_after_of(value: str | None) -> float | None:
    """Seconds of a Retry-After header, which is a number or a date; None if it is neither."""
    try:
        return max(0.0, float(value or ""))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(value or "")
    except (TypeError, ValueError, IndexError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())
