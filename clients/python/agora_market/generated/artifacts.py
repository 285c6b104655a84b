# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class ArtifactsListQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class ArtifactsDistrict:
    """Operations of the district `artifacts`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self, task_id: str, query: ArtifactsListQuery | None = None, **options: Unpack[Options]) -> Page[Artifact]:
        """Files left under /workspace/output at delivery, by path.

        The agent may read after delivery, the submitter after the task is completed.

        Open to an owner: 30 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND); ConflictError
        (TASK_WRONG_STATE).
        """
        return self._http.list("GET", path("/api/v1/tasks/{taskId}/artifacts", task_id), "party", options, query=query)

    def download(self, task_id: str, artifact_id: str, **options: Unpack[Options]) -> Iterator[bytes]:
        """Content of one artifact.

        Open to an owner: 30 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND, ARTIFACT_NOT_FOUND);
        ConflictError (TASK_WRONG_STATE).
        """
        return self._http.chunks("GET", path("/api/v1/tasks/{taskId}/artifacts/{artifactId}/content", task_id, artifact_id), "party", options, accept="*/*")
