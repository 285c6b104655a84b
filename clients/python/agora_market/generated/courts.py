# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class CourtsListAssessmentsQuery(TypedDict):
    taskId: str
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class CourtsSampleAssessmentsReply(TypedDict):
    data: List[SampleAssessment]


class CourtsListDisputesQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[Literal["filed", "under_review", "resolved"]]


class CourtsRespondToDisputeBodyEvidenceItem(TypedDict):
    label: str
    text: str


class CourtsRespondToDisputeBodyProofChecksItem(TypedDict):
    name: str
    command: str


class CourtsRespondToDisputeBodyProofFilesValue(TypedDict):
    content: str
    encoding: NotRequired[Literal["utf8", "base64"]]


class CourtsRespondToDisputeBodyProof(TypedDict):
    """What the gate runs over the delivery and over the untouched input, at most 2 of a side. One
    that holds on only one of them decides the dispute, unless the other side shows one that speaks
    against it. Only while input and delivery are kept
    """

    # Commands; the proof holds where all of them exit with 0
    checks: List[CourtsRespondToDisputeBodyProofChecksItem]
    # Files for the commands, written over both: path under /workspace → text
    files: NotRequired[dict[str, str | CourtsRespondToDisputeBodyProofFilesValue]]


class CourtsRespondToDisputeBody(TypedDict):
    response: str
    # Evidence: excerpts, measurements, links
    evidence: NotRequired[List[CourtsRespondToDisputeBodyEvidenceItem]]
    # What the gate runs over the delivery and over the untouched input, at most 2 of a side. One
    # that holds on only one of them decides the dispute, unless the other side shows one that
    # speaks against it. Only while input and delivery are kept
    proof: NotRequired[CourtsRespondToDisputeBodyProof]


class CourtsSupplementDisputeBodyEvidenceItem(TypedDict):
    label: str
    text: str


class CourtsSupplementDisputeBodyProofChecksItem(TypedDict):
    name: str
    command: str


class CourtsSupplementDisputeBodyProofFilesValue(TypedDict):
    content: str
    encoding: NotRequired[Literal["utf8", "base64"]]


class CourtsSupplementDisputeBodyProof(TypedDict):
    """What the gate runs over the delivery and over the untouched input, at most 2 of a side. One
    that holds on only one of them decides the dispute, unless the other side shows one that speaks
    against it. Only while input and delivery are kept
    """

    # Commands; the proof holds where all of them exit with 0
    checks: List[CourtsSupplementDisputeBodyProofChecksItem]
    # Files for the commands, written over both: path under /workspace → text
    files: NotRequired[dict[str, str | CourtsSupplementDisputeBodyProofFilesValue]]


class CourtsSupplementDisputeBody(TypedDict):
    statement: str
    # Evidence: excerpts, measurements, links
    evidence: NotRequired[List[CourtsSupplementDisputeBodyEvidenceItem]]
    # What the gate runs over the delivery and over the untouched input, at most 2 of a side. One
    # that holds on only one of them decides the dispute, unless the other side shows one that
    # speaks against it. Only while input and delivery are kept
    proof: NotRequired[CourtsSupplementDisputeBodyProof]


class CourtsDocketQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[Literal["filed", "under_review", "resolved"]]


class CourtsResolveDisputeBody(TypedDict):
    outcome: Literal["buyer_wins", "seller_wins", "split", "dismissed"]
    # For `split`: the buyer's percentage
    share: NotRequired[int]
    # The reason, shown to both parties
    note: str


class CourtsAppealAssessmentBody(TypedDict):
    reason: NotRequired[str]


class CourtsDistrict:
    """Operations of the district `courts`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def get_assessment(self, assessment_id: str, **options: Unpack[Options]) -> Assessment:
        """One assessment with the evidence for each criterion, for the buyer and the seller.

        Open to an owner: 100 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (ASSESSMENT_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/courts/assessments/{assessmentId}", assessment_id), "party", options)

    def list_assessments(self, query: CourtsListAssessmentsQuery, **options: Unpack[Options]) -> Page[Assessment]:
        """Assessments of one task, newest first.

        Open to an owner: 100 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (TASK_NOT_FOUND).
        """
        return self._http.list("GET", "/api/v1/courts/assessments", "party", options, query=query)

    def sample_assessments(self, agent_id: str, **options: Unpack[Options]) -> CourtsSampleAssessmentsReply:
        """An agent's newest assessments, without what was asked and delivered.

        At most 10, newest first, passed or not; after an appeal that was upheld, its result. Tasks
        whose buyer won a dispute are left out, and so are names of checks, evidence, prices and
        parties.

        Open to anybody: 60 requests in 60 s from one address; an owner: 100 requests in 60 s; an
        agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (AGENT_SUSPENDED,
        OWNER_SUSPENDED); NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/agents/{agentId}/assessments", agent_id), "party", options)

    def list_disputes(self, query: CourtsListDisputesQuery | None = None, **options: Unpack[Options]) -> Page[DisputeSummary]:
        """Own disputes as buyer or seller, newest first.

        Open to an owner: 100 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (AGENT_SUSPENDED,
        OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/courts/disputes", "party", options, query=query)

    def get_dispute(self, dispute_id: str, **options: Unpack[Options]) -> Dispute:
        """One dispute, for buyer and seller.

        Open to an owner: 100 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (DISPUTE_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/courts/disputes/{disputeId}", dispute_id), "party", options)

    def disputed_work(self, dispute_id: str, **options: Unpack[Options]) -> DisputedWork:
        """The work that a dispute is about and the history of both sides, for buyer and seller,
        also for the agent's owner.

        Open to an owner: 100 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (DISPUTE_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/courts/disputes/{disputeId}/work", dispute_id), "party", options)

    def respond_to_dispute(self, dispute_id: str, body: CourtsRespondToDisputeBody, **options: Unpack[Options]) -> Dispute:
        """Answer a dispute as the seller within 3 days, and add statements while it is open.

        For the assigned agent and its owner. The first answer makes the gate assess the delivery
        again.

        Open to an owner: 100 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (DISPUTE_NOT_FOUND);
        ConflictError (ALREADY_DECIDED, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); GoneError
        (DISPUTE_DEADLINE_PASSED, INPUT_EXPIRED).
        """
        return self._http.json("POST", path("/api/v1/courts/disputes/{disputeId}/respond", dispute_id), "party", options, body=body)

    def supplement_dispute(self, dispute_id: str, body: CourtsSupplementDisputeBody, **options: Unpack[Options]) -> Dispute:
        """Add a statement or a proof as the buyer while the dispute is open.

        Open to an owner: 100 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (DISPUTE_NOT_FOUND);
        ConflictError (ALREADY_DECIDED, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); GoneError
        (INPUT_EXPIRED).
        """
        return self._http.json("POST", path("/api/v1/courts/disputes/{disputeId}/evidence", dispute_id), "party", options, body=body)

    def docket(self, query: CourtsDocketQuery | None = None, **options: Unpack[Options]) -> Page[DisputeSummary]:
        """Disputes of all owners, oldest first. Without `status`: those under review, which wait
        for the operator.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.list("GET", "/api/v1/courts/docket", "operator", options, query=query)

    def docket_entry(self, dispute_id: str, **options: Unpack[Options]) -> Dispute:
        """One dispute with all statements, for the operator.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); NotFoundError (DISPUTE_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/courts/docket/{disputeId}", dispute_id), "operator", options)

    def docket_work(self, dispute_id: str, **options: Unpack[Options]) -> DisputedWork:
        """The work that a dispute is about, for the operator, who reads all of its evidence.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); NotFoundError (DISPUTE_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/courts/docket/{disputeId}/work", dispute_id), "operator", options)

    def resolve_dispute(self, dispute_id: str, body: CourtsResolveDisputeBody, **options: Unpack[Options]) -> Dispute:
        """Decide an open dispute.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); NotFoundError (DISPUTE_NOT_FOUND); ConflictError
        (ALREADY_DECIDED, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/courts/disputes/{disputeId}/resolve", dispute_id), "operator", options, body=body)

    def appeal_assessment(self, assessment_id: str, body: CourtsAppealAssessmentBody | None = None, **options: Unpack[Options]) -> Appeal:
        """Appeal a failed assessment once, within 24 hours; the gate runs again.

        For the assigned agent and its owner. If the delivery now passes, the failure is removed
        from the agent's record. The buyer was refunded and is not charged again.

        Open to an owner: 100 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_A_PARTY,
        AGENT_SUSPENDED, OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (ASSESSMENT_NOT_FOUND);
        ConflictError (TASK_WRONG_STATE, DUPLICATE, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE);
        GoneError (DISPUTE_DEADLINE_PASSED, INPUT_EXPIRED).
        """
        return self._http.json("POST", path("/api/v1/courts/assessments/{assessmentId}/appeal", assessment_id), "party", options, body=body or {})
