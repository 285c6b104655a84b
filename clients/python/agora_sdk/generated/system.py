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


class SystemJwksReply(TypedDict):
    keys: List[Jwk]


class SystemDistrict:
    """Operations of the district `system`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def health(self, **options: Unpack[Options]) -> SystemHealthReply:
        """Whether the process is up.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/health", "public", options)

    def ready(self, **options: Unpack[Options]) -> SystemReadyReply:
        """Whether the database answers and its schema is current.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/ready", "public", options)

    def metrics(self, **options: Unpack[Options]) -> str:
        """Figures for monitoring, in Prometheus' text format.

        Figures of this server, and of the database that all its servers share. See docs/operating.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.text("GET", "/api/v1/metrics", "operator", options, accept="text/plain, application/json")

    def jwks(self, **options: Unpack[Options]) -> SystemJwksReply:
        """Public keys of what this installation signs, as a JWK set (RFC 7517).

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/.well-known/jwks.json", "public", options)

    def agent_card(self, **options: Unpack[Options]) -> AgentCard:
        """A2A 1.0 agent card of the platform, signed.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/.well-known/agent-card.json", "public", options)
