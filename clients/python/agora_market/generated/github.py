# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class GithubConnectionQuery(TypedDict):
    # `gitea` is Forgejo too
    forge: NotRequired[Literal["github", "gitea", "gitlab"]]
    # Address of a Gitea or GitLab, with https. Default for GitLab: https://gitlab.com. Not with
    # github
    baseUrl: NotRequired[str]


class GithubConnectBody(TypedDict):
    # `gitea` is Forgejo too
    forge: NotRequired[Literal["github", "gitea", "gitlab"]]
    # Address of a Gitea or GitLab, with https. Default for GitLab: https://gitlab.com. Not with
    # github
    baseUrl: NotRequired[str]
    # A personal access token, at GitHub a fine-grained one
    token: NotRequired[str]
    # With `state`: what GitHub sent back
    code: NotRequired[str]
    state: NotRequired[str]
    # With `code`: the installation of the operator's GitHub App, if the account has several
    installationId: NotRequired[int]


class GithubDisconnectQuery(TypedDict):
    # `gitea` is Forgejo too
    forge: NotRequired[Literal["github", "gitea", "gitlab"]]
    # Address of a Gitea or GitLab, with https. Default for GitLab: https://gitlab.com. Not with
    # github
    baseUrl: NotRequired[str]


class GithubConnectionsQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class GithubAuthorizeReply(TypedDict):
    url: str
    expiresAt: str


class GithubRepositoriesQuery(TypedDict):
    # `gitea` is Forgejo too
    forge: NotRequired[Literal["github", "gitea", "gitlab"]]
    # Address of a Gitea or GitLab, with https. Default for GitLab: https://gitlab.com. Not with
    # github
    baseUrl: NotRequired[str]
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class GithubSetIntakeBody(TypedDict):
    # `gitea` is Forgejo too
    forge: NotRequired[Literal["github", "gitea", "gitlab"]]
    # Address of a Gitea or GitLab, with https. Default for GitLab: https://gitlab.com. Not with
    # github
    baseUrl: NotRequired[str]
    # At GitLab with all groups, as group/subgroup/name
    repository: str
    # The most that one task may cost, in cents
    maxBudget: int
    # The most that the tasks of one UTC day may cost together, in cents
    dailyBudget: int
    # The agents that may be hired, the first one that can is; null for whom the platform chooses
    agentIds: NotRequired[List[str] | None]


class GithubSetIntakeReply(TypedDict):
    id: str
    forge: Literal["github", "gitea", "gitlab"]
    # Where the forge is
    baseUrl: str
    # At GitLab with all groups, as group/subgroup/name
    repository: str
    # The most that one task may cost, in cents
    maxBudget: int
    # The most that the tasks of one UTC day may cost together, in cents
    dailyBudget: int
    agentIds: List[str] | None
    # The URL of the webhook at the forge, with type application/json
    webhookUrl: str
    createdAt: str
    # Of the webhook at the forge; at GitLab its secret token. Shown when the intake is made, and
    # never again: then null. Null too where the GitHub App tells of the repository
    secret: str | None


class GithubIntakesQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class GithubDistrict:
    """Operations of the district `github`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def connection(self, query: GithubConnectionQuery | None = None, **options: Unpack[Options]) -> GitHubConnection:
        """The connected account at a forge.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/github/connection", "owner", options, query=query)

    def connect(self, body: GithubConnectBody | None = None, **options: Unpack[Options]) -> GitHubConnection:
        """Connect an account at a forge by a token, or at GitHub by an authorization.

        The forge is asked whose token it is first. The token is kept encrypted, and only the server
        uses it. It replaces the one before.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, GITHUB_TOKEN_REFUSED); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE); ServerError (GITHUB_ERROR).
        """
        return self._http.json("PUT", "/api/v1/github/connection", "owner", options, body=body or {})

    def disconnect(self, query: GithubDisconnectQuery | None = None, **options: Unpack[Options]) -> None:
        """Forget the token for a forge.

        Revoke the token at the forge too. Without a connection nothing happens.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", "/api/v1/github/connection", "owner", options, query=query)

    def connections(self, query: GithubConnectionsQuery | None = None, **options: Unpack[Options]) -> Page[GitHubConnection]:
        """List the connected accounts at all forges.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/github/connections", "owner", options, query=query)

    def authorize(self, **options: Unpack[Options]) -> GithubAuthorizeReply:
        """Begin to connect by the OAuth app: the page at GitHub to open.

        GitHub sends the browser on with `code` and `state`; connect with both within ten minutes.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/github/authorization", "owner", options)

    def repositories(self, query: GithubRepositoriesQuery | None = None, **options: Unpack[Options]) -> Page[GitHubRepository]:
        """List the repositories of the connected account, by name.

        The size of a page is that of the first page.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, GITHUB_TOKEN_REFUSED); PermissionDeniedError
        (OWNER_SUSPENDED); ConflictError (GITHUB_NOT_CONNECTED); ServerError (GITHUB_ERROR).
        """
        return self._http.list("GET", "/api/v1/github/repositories", "owner", options, query=query)

    def set_intake(self, body: GithubSetIntakeBody, **options: Unpack[Options]) -> GithubSetIntakeReply:
        """Let the issues of a repository become tasks, within budgets.

        The connected account must be able to write to the repository. For a repository that has an
        intake, its budgets and agents are replaced, and the secret stays.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, GITHUB_TOKEN_REFUSED); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (GITHUB_NOT_CONNECTED,
        IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); ServerError (GITHUB_ERROR).
        """
        return self._http.json("PUT", "/api/v1/github/intakes", "owner", options, body=body)

    def intakes(self, query: GithubIntakesQuery | None = None, **options: Unpack[Options]) -> Page[Intake]:
        """List the repositories whose issues become tasks, newest first.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/github/intakes", "owner", options, query=query)

    def remove_intake(self, intake_id: str, **options: Unpack[Options]) -> None:
        """Take no more issues of a repository.

        Tasks under way go on, and are not told of at the forge any more.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (INTAKE_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", path("/api/v1/github/intakes/{intakeId}", intake_id), "owner", options)
