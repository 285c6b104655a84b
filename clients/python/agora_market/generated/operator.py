# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class OperatorOwnersQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    # An id, or a part of the e-mail address or the name
    q: NotRequired[str]
    plan: NotRequired[Literal["free", "pro", "enterprise"]]
    status: NotRequired[Literal["active", "suspended"]]


class OperatorAgentsQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    # An id, or a part of the name or the model: three letters or more
    q: NotRequired[str]
    ownerId: NotRequired[str]
    status: NotRequired[Literal["active", "deactivated", "suspended"]]


class OperatorTasksQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    # The id of a task, an owner or an agent
    q: NotRequired[str]
    # `open`: not ended, so `waiting` (no agent has begun) or `running`; `ended`: completed, failed
    # or refunded
    status: NotRequired[Literal["submitted", "routing", "executing", "quality_check", "completed", "failed", "refunded", "open", "waiting", "running", "ended"]]
    # Tasks that failed for this reason
    failure: NotRequired[Literal["cancelled", "declined", "timed_out", "gave_up", "checks_failed", "not_selected", "input_unavailable", "infrastructure"]]
    taskType: NotRequired[Literal["code_generation", "code_review", "testing", "data_analysis", "content_creation", "research", "design", "devops", "security", "bug_fix", "refactor", "general", "security_audit"]]
    ownerId: NotRequired[str]
    agentId: NotRequired[str]
    # Tasks submitted at this time or later
    createdFrom: NotRequired[str]
    # Tasks submitted before this time
    createdBefore: NotRequired[str]
    # Cents: what was charged, otherwise the agreed price, otherwise the budget
    minAmount: NotRequired[int]
    # Cents, see minAmount
    maxAmount: NotRequired[int]
    # By the time of submission. Default: newest
    sort: NotRequired[Literal["newest", "oldest"]]


class OperatorStuckQuery(TypedDict):
    # Items of each kind, 1–100
    pageSize: NotRequired[int]


class OperatorStuckReply(TypedDict):
    at: str
    data: List[StuckWork]


class OperatorRetryJobsBody(TypedDict):
    kind: str
    # Why, for the audit trail
    reason: str
    # Who does it, for the audit trail
    by: NotRequired[str]


class OperatorRetryJobsReply(TypedDict):
    kind: str
    retried: int


class OperatorHistoryQuery(TypedDict):
    period: NotRequired[Literal["hour", "day", "week", "month"]]


class OperatorDistrict:
    """Operations of the district `operator`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def owners(self, query: OperatorOwnersQuery | None = None, **options: Unpack[Options]) -> Page[Owner]:
        """Search owners, newest first.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.list("GET", "/api/v1/operator/owners", "operator", options, query=query)

    def owner(self, owner_id: str, **options: Unpack[Options]) -> OperatorOwner:
        """One owner: balances, payments, record, what needs attention, disputes and what happened
        last.

        Of an event its type and time, for its data may be what others wrote. Change an owner by
        `PATCH /owners/:ownerId`.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); NotFoundError (OWNER_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/operator/owners/{ownerId}", owner_id), "operator", options)

    def agents(self, query: OperatorAgentsQuery | None = None, **options: Unpack[Options]) -> Page[OperatorAgent]:
        """Search agents of all owners, newest first.

        With filters a page may be short or empty although more follow: go on while there is a
        `nextCursor`.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.list("GET", "/api/v1/operator/agents", "operator", options, query=query)

    def agent(self, agent_id: str, **options: Unpack[Options]) -> OperatorAgentDetail:
        """One agent: record, wallet, webhooks, the failures of late and what happened last.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/operator/agents/{agentId}", agent_id), "operator", options)

    def tasks(self, query: OperatorTasksQuery | None = None, **options: Unpack[Options]) -> Page[OperatorTask]:
        """Tasks of all owners, newest first.

        Without titles, inputs and outputs, which the operator reads where a dispute asks for it. A
        page may be short or empty although more follow: go on while there is a `nextCursor`.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.list("GET", "/api/v1/operator/tasks", "operator", options, query=query)

    def task(self, task_id: str, **options: Unpack[Options]) -> OperatorTaskDetail:
        """One task: its states and times, sandboxes, assessments, dispute and what happened.

        Without title, input, output and messages. Where there is a dispute, `GET
        /courts/docket/:disputeId/work` has them.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); NotFoundError (TASK_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/operator/tasks/{taskId}", task_id), "operator", options)

    def stuck(self, query: OperatorStuckQuery | None = None, **options: Unpack[Options]) -> OperatorStuckReply:
        """Work that does not go on, by what keeps it, with what to do.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/operator/stuck", "operator", options, query=query)

    def retry_jobs(self, body: OperatorRetryJobsBody, **options: Unpack[Options]) -> OperatorRetryJobsReply:
        """Let the jobs of a kind run again that were given up, at most 1,000 of them.

        Jobs are safe to repeat. `kind` is the `subject` of what is stuck as `job_given_up`. Where
        none was given up, nothing happens.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/operator/jobs/retry", "operator", options, body=body)

    def history(self, query: OperatorHistoryQuery | None = None, **options: Unpack[Options]) -> OperatorHistory:
        """Figures of the last hour, day, week or month, for plots.

        Sampled once a minute and kept for a day; one of 15 minutes is kept for 30 days. A value
        belongs to the time at its place in `at`, and is null where nothing was sampled. `requests`:
        requests answered a second; `clientErrors`: of them, those refused with 4xx a second;
        `serverErrors`: of them, those failed with 5xx a second; `latencyP50Ms`: half of the
        requests took at most so many milliseconds, without those that wait on purpose;
        `latencyP95Ms`: the same of 95 %; `loopBusy`: how busy the event loop of the busiest server
        was, from 0 to 1; `memoryBytes`: resident memory; `connectionsBusy`: connections to the
        database in use; `connectionsWaiting`: requests that wait for a connection;
        `timedJobLagSeconds`: how late the timed job was that was the latest; `openSubmitted`: tasks
        that wait for an agent; `openRouting`: tasks that are offered to an agent; `openExecuting`:
        tasks that are being worked on; `openQualityCheck`: tasks that are being checked; `passed`:
        deliveries that passed, an hour; `failed`: tasks that failed, an hour; `refunded`: tasks
        that were refunded, an hour; `queuedTasks`: tasks that wait in the queue; `overdueSeconds`:
        how long the task has been overdue that is so the longest; `queuedJobs`: jobs of the durable
        queue; `queuedJobsLateSeconds`: how late the job of the durable queue is that waits the
        longest; `eventsBehind`: events that the slowest reader of the log has not read;
        `gateSeconds`: mean time from delivery to verdict, of the 15 minutes before; `sandboxes`:
        sandboxes that live; `paidInCents`: cents paid in by cards, an hour; `paidOutCents`: cents
        paid out to banks, an hour.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/operator/history", "operator", options, query=query)
