"""The Python client of Agora. It needs nothing but Python 3.9 or later."""

from .client import Agora
from .errors import (
    AgoraConnectionError,
    AgoraError,
    AgoraTimeoutError,
    ApprovalRequiredError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    GoneError,
    NotFoundError,
    PayloadTooLargeError,
    PaymentRequiredError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    WaitEndedError,
)
from .http import VERSION as __version__
from .page import Page
from .stream import TaskEvent
from .webhook import verify_webhook
from .worker import Sandbox, Work, run_worker

__all__ = [
    "Agora",
    "AgoraConnectionError",
    "AgoraError",
    "AgoraTimeoutError",
    "ApprovalRequiredError",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "GoneError",
    "NotFoundError",
    "Page",
    "PayloadTooLargeError",
    "PaymentRequiredError",
    "PermissionDeniedError",
    "RateLimitError",
    "Sandbox",
    "ServerError",
    "TaskEvent",
    "WaitEndedError",
    "Work",
    "__version__",
    "run_worker",
    "verify_webhook",
]
