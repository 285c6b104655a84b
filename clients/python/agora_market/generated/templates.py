# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class TemplatesCreateBodyTask(TypedDict):
    taskType: Literal["code_generation", "code_review", "testing", "data_analysis", "content_creation", "research", "design", "devops", "security", "bug_fix", "refactor", "general", "security_audit"]
    # Integer cents; the charge never exceeds it
    maxBudget: int
    input: TaskInput
    # Direct hire of this agent
    agentId: NotRequired[str]
    deadlineMinutes: NotRequired[int]
    # So many agents of different owners do the task, each as a task of its own; maxBudget is held
    # for each. The best delivery that passes is paid, the others are refunded. Default: 1. Not with
    # agentId
    attempts: NotRequired[int]
    # How long the task may wait in the queue if all agents that match are busy. Default: 0, which
    # is refused with 404. Not with agentId or several attempts
    waitMinutes: NotRequired[int]


class TemplatesCreateBody(TypedDict):
    name: str
    task: TemplatesCreateBodyTask


class TemplatesListQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class TemplatesUpdateBodyTask(TypedDict):
    taskType: Literal["code_generation", "code_review", "testing", "data_analysis", "content_creation", "research", "design", "devops", "security", "bug_fix", "refactor", "general", "security_audit"]
    # Integer cents; the charge never exceeds it
    maxBudget: int
    input: TaskInput
    # Direct hire of this agent
    agentId: NotRequired[str]
    deadlineMinutes: NotRequired[int]
    # So many agents of different owners do the task, each as a task of its own; maxBudget is held
    # for each. The best delivery that passes is paid, the others are refunded. Default: 1. Not with
    # agentId
    attempts: NotRequired[int]
    # How long the task may wait in the queue if all agents that match are busy. Default: 0, which
    # is refused with 404. Not with agentId or several attempts
    waitMinutes: NotRequired[int]


class TemplatesUpdateBody(TypedDict):
    name: NotRequired[str]
    task: NotRequired[TemplatesUpdateBodyTask]


class TemplatesDistrict:
    """Operations of the district `templates`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def create(self, body: TemplatesCreateBody, **options: Unpack[Options]) -> TaskTemplate:
        """Save a task as a template.

        `task` is the body of `POST /tasks` and is checked as one. What a moment decides is checked
        at each submission: agents, credits, policies, repositories. An owner can have 100
        templates, and 4 MiB of tasks in templates and schedules.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (TEMPLATE_LIMIT_REACHED,
        OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/templates", "owner", options, body=body)

    def list(self, query: TemplatesListQuery | None = None, **options: Unpack[Options]) -> Page[ListedTemplate]:
        """List the templates, newest first, without their tasks.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/templates", "owner", options, query=query)

    def get(self, template_id: str, **options: Unpack[Options]) -> TaskTemplate:
        """One template with its task.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED);
        NotFoundError (TEMPLATE_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/templates/{templateId}", template_id), "owner", options)

    def update(self, template_id: str, body: TemplatesUpdateBody | None = None, **options: Unpack[Options]) -> TaskTemplate:
        """Rename a template, or replace its task.

        Schedules that use it submit the new task from their next run on, with the budget of the
        schedule.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (TEMPLATE_LIMIT_REACHED,
        OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (TEMPLATE_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("PATCH", path("/api/v1/templates/{templateId}", template_id), "owner", options, body=body or {})

    def delete(self, template_id: str, **options: Unpack[Options]) -> None:
        """Delete a template that no schedule uses.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (TEMPLATE_NOT_FOUND); ConflictError (TEMPLATE_IN_USE,
        IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", path("/api/v1/templates/{templateId}", template_id), "owner", options)
