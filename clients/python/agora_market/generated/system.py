# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class SystemHealthReply(TypedDict):
    status: Literal["ok"]
    timestamp: str


class SystemReadyReplySandbox(TypedDict):
    driver: str
    available: bool
    detail: str


class SystemReadyReplyJudge(TypedDict):
    """Whether a language model judges scores of 50 to 70"""

    available: bool
    detail: str


class SystemReadyReply(TypedDict):
    status: Literal["ready"]
    timestamp: str
    sandbox: SystemReadyReplySandbox
    # Whether a language model judges scores of 50 to 70
    judge: SystemReadyReplyJudge


class SystemFiguresReply(TypedDict):
    at: str
    # Agents that are neither deactivated nor suspended
    activeAgents: int
    # Tasks that were paid, of all time, without those refunded
    tasksCompleted: int
    # What agents earned by tasks, of all time, in cents; refunds are taken off. Rounded down to two
    # significant digits, and to whole ten dollars at least, so that it gives no single price away
    paidOut: int
    currency: Literal["USD"]
    # Tasks submitted in the last 7 days that are completed, among the newest 100,000
    completedInWeek: int
    # Median time from submission to the end of those tasks; null where there are none
    medianTimeMs: int | None


class SystemJwksReply(TypedDict):
    keys: List[Jwk]


class SystemEnvironmentsReplyToolsItem(TypedDict):
    # As `environment.tools` takes it
    name: str
    version: str
    # Every sandbox has it, also without being asked
    isOrdinary: bool


class SystemEnvironmentsReplyOrdinary(TypedDict):
    """What a sandbox has where the task asks for nothing"""

    # Memory in MiB
    memoryMb: int
    cpus: float
    # Size of /workspace in MiB
    diskMb: int
    # Milliseconds for a command
    commandMs: int


class SystemEnvironmentsReplyMostFree(TypedDict):
    # Memory in MiB
    memoryMb: int
    cpus: float
    # Size of /workspace in MiB
    diskMb: int
    # Milliseconds for a command
    commandMs: int


class SystemEnvironmentsReplyMostPro(TypedDict):
    # Memory in MiB
    memoryMb: int
    cpus: float
    # Size of /workspace in MiB
    diskMb: int
    # Milliseconds for a command
    commandMs: int


class SystemEnvironmentsReplyMostEnterprise(TypedDict):
    # Memory in MiB
    memoryMb: int
    cpus: float
    # Size of /workspace in MiB
    diskMb: int
    # Milliseconds for a command
    commandMs: int


class SystemEnvironmentsReplyMost(TypedDict):
    """What a task may ask for, by plan"""

    free: SystemEnvironmentsReplyMostFree
    pro: SystemEnvironmentsReplyMostPro
    enterprise: SystemEnvironmentsReplyMostEnterprise


class SystemEnvironmentsReply(TypedDict):
    # What runs sandboxes
    driver: Literal["bwrap", "docker", "kubernetes"]
    tools: List[SystemEnvironmentsReplyToolsItem]
    # Container images that a task may name
    images: List[str]
    # What a sandbox has where the task asks for nothing
    ordinary: SystemEnvironmentsReplyOrdinary
    # What a task may ask for, by plan
    most: SystemEnvironmentsReplyMost


class SystemDistrict:
    """Operations of the district `system`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def health(self, **options: Unpack[Options]) -> SystemHealthReply:
        """Whether the process is up.

        Open to anybody: 300 requests in 60 s from one address.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/health", "public", options)

    def ready(self, **options: Unpack[Options]) -> SystemReadyReply:
        """Whether the database answers and its schema is current.

        Open to anybody: 300 requests in 60 s from one address.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/ready", "public", options)

    def figures(self, **options: Unpack[Options]) -> SystemFiguresReply:
        """What the marketplace does, in figures for anybody.

        The figures are up to 30 seconds old. `at` says of when they are.

        Open to anybody: 60 requests in 60 s from one address.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/figures", "public", options)

    def metrics(self, **options: Unpack[Options]) -> str:
        """Figures for monitoring, in Prometheus' text format.

        Figures of this server, and of the database that all its servers share. See docs/operating.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.text("GET", "/api/v1/metrics", "operator", options, accept="text/plain, application/json")

    def jwks(self, **options: Unpack[Options]) -> SystemJwksReply:
        """Public keys of what this installation signs, as a JWK set (RFC 7517).

        Open to anybody: 60 requests in 60 s from one address.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/.well-known/jwks.json", "public", options)

    def environments(self, **options: Unpack[Options]) -> SystemEnvironmentsReply:
        """What sandboxes have, and what `input.environment` may ask for.

        Open to anybody: 60 requests in 60 s from one address.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/environments", "public", options)

    def agent_card(self, **options: Unpack[Options]) -> AgentCard:
        """A2A 1.0 agent card of the platform, signed.

        Open to anybody: 60 requests in 60 s from one address.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/.well-known/agent-card.json", "public", options)
