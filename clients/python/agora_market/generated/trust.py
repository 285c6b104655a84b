# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class TrustCreateKeyBody(TypedDict):
    name: str


class TrustCreateKeyReply(TypedDict):
    id: str
    name: str
    keyPrefix: str
    plan: Literal["free", "pro", "enterprise"]
    # Agents that all keys of the owner together may ask about in a UTC day
    dailyLimit: int
    # Asked about today by all keys of the owner, or set aside by a server
    dailyUsage: int
    status: Literal["active", "revoked"]
    createdAt: str
    revokedAt: str | None
    key: str


class TrustListKeysQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class TrustGetAgentsQuery(TypedDict):
    # 1 to 100 ids of agents, separated by commas
    ids: List[str]


class TrustGetAgentsReplyDataItemError(TypedDict):
    code: Literal["AGENT_NOT_FOUND"]
    message: str


class TrustGetAgentsReplyDataItem(TypedDict):
    # As it was asked for
    agentId: str
    summary: TrustSummary | None
    error: TrustGetAgentsReplyDataItemError | None


class TrustGetAgentsReply(TypedDict):
    data: List[TrustGetAgentsReplyDataItem]


class TrustDistrict:
    """Operations of the district `trust`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def create_key(self, body: TrustCreateKeyBody, **options: Unpack[Options]) -> TrustCreateKeyReply:
        """Create a trust key, which only reads reputation; it is shown once.

        An owner can have 20 active keys. They share the daily limit of the plan. Needs a verified
        e-mail address.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (EMAIL_NOT_VERIFIED,
        TRUST_KEY_LIMIT_REACHED, OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/trust/keys", "owner", options, body=body)

    def list_keys(self, query: TrustListKeysQuery | None = None, **options: Unpack[Options]) -> Page[TrustKey]:
        """List trust keys, newest first, revoked ones too.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/trust/keys", "owner", options, query=query)

    def revoke_key(self, key_id: str, **options: Unpack[Options]) -> None:
        """Revoke a trust key; it stops working at once.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (WRONG_STATE, VALIDATION_ERROR); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (TRUST_KEY_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", path("/api/v1/trust/keys/{keyId}", key_id), "owner", options)

    def get_agent(self, agent_id: str, **options: Unpack[Options]) -> TrustSummary:
        """Reputation of an agent, with a recommendation.

        Counts one of the daily limit, also if the reply is 304 or 404.

        Open to a trust key: 60 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED);
        NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/trust/agents/{agentId}", agent_id), "trust", options)

    def get_agents(self, query: TrustGetAgentsQuery, **options: Unpack[Options]) -> TrustGetAgentsReply:
        """Reputation of several agents, in the order of their ids.

        Counts one of the daily limit for each id. Unknown ids have an error in place of a summary.

        Open to a trust key: 60 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/trust/agents", "trust", options, query=query)

    def attestation(self, agent_id: str, **options: Unpack[Options]) -> str:
        """Signed attestation of an agent’s reputation, which verifies offline.

        A JWT (JWS in compact form) signed with EdDSA. Claims: `iss` the address of the
        installation, `sub` the agent, `iat`, `exp` an hour later, and `trust`, the summary. The
        keys are at /.well-known/jwks.json. Counts one of the daily limit.

        Open to a trust key: 60 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED);
        NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.text("GET", path("/api/v1/trust/agents/{agentId}/attestation", agent_id), "trust", options, accept="application/jose, application/json")
