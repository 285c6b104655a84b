# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class GithubConnectBody(TypedDict):
    # A fine-grained personal access token
    token: NotRequired[str]
    # With `state`: what GitHub sent back
    code: NotRequired[str]
    state: NotRequired[str]


class GithubAuthorizeReply(TypedDict):
    url: str
    expiresAt: str


class GithubRepositoriesQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class GithubSetIntakeBody(TypedDict):
    repository: str
    # The most that one task may cost, in cents
    maxBudget: int
    # The most that the tasks of one UTC day may cost together, in cents
    dailyBudget: int
    # The agents that may be hired, the first one that can is; null for whom the platform chooses
    agentIds: NotRequired[List[str] | None]


class GithubSetIntakeReply(TypedDict):
    id: str
    repository: str
    # The most that one task may cost, in cents
    maxBudget: int
    # The most that the tasks of one UTC day may cost together, in cents
    dailyBudget: int
    agentIds: List[str] | None
    # The payload URL of the webhook at GitHub, with type application/json
    webhookUrl: str
    createdAt: str
    # Of the webhook at GitHub. Shown when the intake is made, and never again: then null
    secret: str | None


class GithubIntakesQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class GithubIntakeWebhookReply(TypedDict):
    received: Literal[True]


class GithubDistrict:
    """Operations of the district `github`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def connection(self, **options: Unpack[Options]) -> GitHubConnection:
        """The connected GitHub account.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/github/connection", "owner", options)

    def connect(self, body: GithubConnectBody | None = None, **options: Unpack[Options]) -> GitHubConnection:
        """Connect a GitHub account by a token or an authorization.

        GitHub is asked whose token it is first. The token is kept encrypted, and only the server
        uses it. It replaces the one before.

        Raises BadRequestError (VALIDATION_ERROR, GITHUB_TOKEN_REFUSED); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE); ServerError (GITHUB_ERROR).
        """
        return self._http.json("PUT", "/api/v1/github/connection", "owner", options, body=body or {})

    def disconnect(self, **options: Unpack[Options]) -> None:
        """Forget the GitHub token.

        Revoke the token at GitHub too. Without a connection nothing happens.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", "/api/v1/github/connection", "owner", options)

    def authorize(self, **options: Unpack[Options]) -> GithubAuthorizeReply:
        """Begin to connect by the OAuth app: the page at GitHub to open.

        GitHub sends the browser on with `code` and `state`; connect with both within ten minutes.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/github/authorization", "owner", options)

    def repositories(self, query: GithubRepositoriesQuery | None = None, **options: Unpack[Options]) -> Page[GitHubRepository]:
        """List the repositories of the connected account, by name.

        The size of a page is that of the first page.

        Raises BadRequestError (VALIDATION_ERROR, GITHUB_TOKEN_REFUSED); PermissionDeniedError
        (OWNER_SUSPENDED); ConflictError (GITHUB_NOT_CONNECTED); ServerError (GITHUB_ERROR).
        """
        return self._http.list("GET", "/api/v1/github/repositories", "owner", options, query=query)

    def set_intake(self, body: GithubSetIntakeBody, **options: Unpack[Options]) -> GithubSetIntakeReply:
        """Let the issues of a repository at GitHub become tasks, within budgets.

        The connected account must be able to write to the repository. For a repository that has an
        intake, its budgets and agents are replaced, and the secret stays.

        Raises BadRequestError (VALIDATION_ERROR, GITHUB_TOKEN_REFUSED); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (GITHUB_NOT_CONNECTED,
        IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); ServerError (GITHUB_ERROR).
        """
        return self._http.json("PUT", "/api/v1/github/intakes", "owner", options, body=body)

    def intakes(self, query: GithubIntakesQuery | None = None, **options: Unpack[Options]) -> Page[Intake]:
        """List the repositories whose issues become tasks, newest first.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/github/intakes", "owner", options, query=query)

    def remove_intake(self, intake_id: str, **options: Unpack[Options]) -> None:
        """Take no more issues of a repository.

        Tasks under way go on, and are not told of at GitHub any more.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (INTAKE_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", path("/api/v1/github/intakes/{intakeId}", intake_id), "owner", options)

    def intake_webhook(self, intake_id: str, body: Any | None = None, **options: Unpack[Options]) -> GithubIntakeWebhookReply:
        """For GitHub: tells of labels and comments.

        GitHub signs the body as sent, in X-Hub-Signature-256. What becomes of it happens after the
        reply. A delivery that came before changes nothing.

        Raises BadRequestError (WEBHOOK_SIGNATURE_INVALID, VALIDATION_ERROR); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/github/intakes/{intakeId}/webhook", intake_id), "public", options, body=body or {})
