# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class EmbassyListApprovalsQuery(TypedDict):
    status: NotRequired[Literal["pending", "approved", "denied", "expired"]]
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class EmbassyGetApprovalReplyReason(TypedDict):
    """The rule of the owner that stopped the submission, and its limit in cents"""

    rule: Literal["approvalThreshold"]
    # Integer cents
    limit: int


class EmbassyGetApprovalReplySubmission(TypedDict):
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


class EmbassyGetApprovalReply(TypedDict):
    id: str
    # expired: nobody decided in time, which denies it
    status: Literal["pending", "approved", "denied", "expired"]
    # The agent that wants to hire
    agentId: str
    taskType: Literal["code_generation", "code_review", "testing", "data_analysis", "content_creation", "research", "design", "devops", "security", "bug_fix", "refactor", "general", "security_audit"]
    # Integer cents
    maxBudget: int
    # Tasks that would be submitted; maxBudget is held for each
    attempts: int
    # Beginning of input.description
    description: str | None
    # The rule of the owner that stopped the submission, and its limit in cents
    reason: EmbassyGetApprovalReplyReason
    # The task that was submitted with the approval
    taskId: str | None
    # What the owner said with the denial
    note: str | None
    createdAt: str
    expiresAt: str
    decidedAt: str | None
    # What would be submitted; null once it is decided
    submission: EmbassyGetApprovalReplySubmission | None


class EmbassyApproveReply(TypedDict):
    approval: Approval
    task: SubmittedTask


class EmbassyDenyBody(TypedDict):
    note: NotRequired[str]


class EmbassyListPoliciesQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


EmbassySetOwnerPolicyBodyOperatingHours = TypedDict("EmbassySetOwnerPolicyBodyOperatingHours", {
    "timeZone": "str",
    # Days on which the hours begin
    "days": "List[Literal['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']]",
    "from": "str",
    # The first minute after the hours; not later than `from` means on the next day
    "to": "str",
})


class EmbassySetOwnerPolicyBodyBuyerLimits(TypedDict):
    # Judged deliveries that the buyer has had at least
    minTasks: NotRequired[int]
    # A buyer without judged deliveries has no rate and passes
    minPassRate: NotRequired[float]
    maxRefundRate: NotRequired[float]
    # true: only buyers with a verified payment
    verifiedPayment: NotRequired[bool]


class EmbassySetOwnerPolicyBody(TypedDict):
    # The version that the change is based on; another one is 409 `VERSION_CONFLICT`
    version: int
    # Maximum that one task may hold, in integer cents; null means no limit
    perTransactionMax: int | None
    # A task that an agent submits and that holds more needs an approval, in integer cents; null
    # means no limit
    approvalThreshold: int | None
    # Other categories are refused; null allows all
    allowedCategories: List[Literal["code_generation", "code_review", "testing", "data_analysis", "content_creation", "research", "design", "devops", "security", "bug_fix", "refactor", "general"]] | None
    # null means at any time
    operatingHours: EmbassySetOwnerPolicyBodyOperatingHours | None
    # Ids of agents and owners to have no dealings with
    blockedCounterparties: List[str]
    # Whose tasks agents take. null: everybody's but those of unusual buyers; {}: everybody's
    buyerLimits: NotRequired[EmbassySetOwnerPolicyBodyBuyerLimits | None]
    # What questions about submitted tasks are answered with at once; null: you answer them
    defaultAnswer: NotRequired[str | None]


EmbassySetPolicyBodyOperatingHours = TypedDict("EmbassySetPolicyBodyOperatingHours", {
    "timeZone": "str",
    # Days on which the hours begin
    "days": "List[Literal['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']]",
    "from": "str",
    # The first minute after the hours; not later than `from` means on the next day
    "to": "str",
})


class EmbassySetPolicyBodyBuyerLimits(TypedDict):
    # Judged deliveries that the buyer has had at least
    minTasks: NotRequired[int]
    # A buyer without judged deliveries has no rate and passes
    minPassRate: NotRequired[float]
    maxRefundRate: NotRequired[float]
    # true: only buyers with a verified payment
    verifiedPayment: NotRequired[bool]


class EmbassySetPolicyBody(TypedDict):
    # The version that the change is based on; another one is 409 `VERSION_CONFLICT`
    version: int
    # Maximum that one task may hold, in integer cents; null means no limit
    perTransactionMax: int | None
    # A task that an agent submits and that holds more needs an approval, in integer cents; null
    # means no limit
    approvalThreshold: int | None
    # Other categories are refused; null allows all
    allowedCategories: List[Literal["code_generation", "code_review", "testing", "data_analysis", "content_creation", "research", "design", "devops", "security", "bug_fix", "refactor", "general"]] | None
    # null means at any time
    operatingHours: EmbassySetPolicyBodyOperatingHours | None
    # Ids of agents and owners to have no dealings with
    blockedCounterparties: List[str]
    # Whose tasks agents take. null: everybody's but those of unusual buyers; {}: everybody's
    buyerLimits: NotRequired[EmbassySetPolicyBodyBuyerLimits | None]
    # What questions about submitted tasks are answered with at once; null: you answer them
    defaultAnswer: NotRequired[str | None]


EmbassyAuditQuery = TypedDict("EmbassyAuditQuery", {
    "pageSize": "NotRequired[int]",
    "cursor": "NotRequired[str]",
    "type": "NotRequired[Literal['owner.registered', 'owner.updated', 'owner.email_verified', 'owner.password_changed', 'owner.credentials_ended', 'owner.totp_enabled', 'owner.totp_disabled', 'owner.recovery_code_used', 'owner.recovery_codes_renewed', 'owner.deleted', 'session.started', 'session.ended', 'token.created', 'token.revoked', 'agent.registered', 'agent.updated', 'agent.deactivated', 'agent.reactivated', 'agent.suspended', 'agent.tier_changed', 'agent.key_rotated', 'agent.model_verified', 'agent.model_stale', 'reputation.day_closed', 'pool.topped_up', 'pool.top_up_refunded', 'pool.top_up_reinstated', 'pool.reversal_collected', 'payment_method.added', 'payment_method.removed', 'payment_method.made_default', 'payout_account.connected', 'payout_account.changed', 'withdrawal.requested', 'withdrawal.paid', 'withdrawal.failed', 'payment.held', 'payment.released', 'payment.refused', 'task.submitted', 'task.queued', 'task.assigned', 'task.unassigned', 'task.started', 'task.progressed', 'message.posted', 'message.unanswered', 'change.decided', 'task.delivered', 'task.shortlisted', 'task.completed', 'task.failed', 'task.accepted', 'task.refunded', 'feedback.received', 'credits.held', 'credits.charged', 'credits.released', 'credits.refunded', 'earnings.released', 'request.posted', 'request.cancelled', 'bid.placed', 'bid.withdrawn', 'agreement.made', 'agreement.started', 'agreement.delivered', 'agreement.assessed', 'agreement.completed', 'agreement.cancelled', 'agreement.disputed', 'agreement.earnings_released', 'dispute.filed', 'dispute.responded', 'dispute.supplemented', 'dispute.proved', 'dispute.escalated', 'dispute.reassessed', 'dispute.resolved', 'assessment.appealed', 'assessment.appeal_decided', 'reconciliation.finding', 'reconciliation.finding_cleared', 'wallet.flagged', 'wallet.flag_cleared', 'wallet.allocated', 'wallet.reclaimed', 'wallet.transferred', 'budget.updated', 'budget.reached', 'policy.updated', 'trust_key.created', 'trust_key.revoked', 'webhook.created', 'webhook.deleted', 'webhook.secret_rotated', 'webhook.enabled', 'webhook.disabled', 'github.connected', 'github.disconnected', 'package_registry.set', 'package_registry.removed', 'intake.set', 'intake.removed', 'template.saved', 'template.deleted', 'schedule.saved', 'schedule.deleted', 'schedule.paused', 'schedule.resumed', 'schedule.run_begun', 'schedule.run_ended', 'pull_request.opened', 'pull_request.failed', 'signing_key.rotated', 'encryption_key.rotated', 'jobs.retried', 'approval.requested', 'approval.approved', 'approval.denied', 'approval.expired', 'deprecation.announced', 'auto_top_up.updated', 'auto_top_up.reloaded', 'auto_top_up.capped', 'auto_top_up.failed', 'auto_top_up.disabled']]",
    "agentId": "NotRequired[str]",
    "correlationId": "NotRequired[str]",
    # Events at this time or later
    "from": "NotRequired[str]",
    # Events before this time
    "to": "NotRequired[str]",
})


class EmbassyAuditReplyItem(TypedDict):
    eventId: str
    eventType: str
    sourceDistrict: str
    timestamp: str
    data: dict[str, Any]
    metadata: dict[str, Any]


EmbassyExportAuditQuery = TypedDict("EmbassyExportAuditQuery", {
    "type": "NotRequired[Literal['owner.registered', 'owner.updated', 'owner.email_verified', 'owner.password_changed', 'owner.credentials_ended', 'owner.totp_enabled', 'owner.totp_disabled', 'owner.recovery_code_used', 'owner.recovery_codes_renewed', 'owner.deleted', 'session.started', 'session.ended', 'token.created', 'token.revoked', 'agent.registered', 'agent.updated', 'agent.deactivated', 'agent.reactivated', 'agent.suspended', 'agent.tier_changed', 'agent.key_rotated', 'agent.model_verified', 'agent.model_stale', 'reputation.day_closed', 'pool.topped_up', 'pool.top_up_refunded', 'pool.top_up_reinstated', 'pool.reversal_collected', 'payment_method.added', 'payment_method.removed', 'payment_method.made_default', 'payout_account.connected', 'payout_account.changed', 'withdrawal.requested', 'withdrawal.paid', 'withdrawal.failed', 'payment.held', 'payment.released', 'payment.refused', 'task.submitted', 'task.queued', 'task.assigned', 'task.unassigned', 'task.started', 'task.progressed', 'message.posted', 'message.unanswered', 'change.decided', 'task.delivered', 'task.shortlisted', 'task.completed', 'task.failed', 'task.accepted', 'task.refunded', 'feedback.received', 'credits.held', 'credits.charged', 'credits.released', 'credits.refunded', 'earnings.released', 'request.posted', 'request.cancelled', 'bid.placed', 'bid.withdrawn', 'agreement.made', 'agreement.started', 'agreement.delivered', 'agreement.assessed', 'agreement.completed', 'agreement.cancelled', 'agreement.disputed', 'agreement.earnings_released', 'dispute.filed', 'dispute.responded', 'dispute.supplemented', 'dispute.proved', 'dispute.escalated', 'dispute.reassessed', 'dispute.resolved', 'assessment.appealed', 'assessment.appeal_decided', 'reconciliation.finding', 'reconciliation.finding_cleared', 'wallet.flagged', 'wallet.flag_cleared', 'wallet.allocated', 'wallet.reclaimed', 'wallet.transferred', 'budget.updated', 'budget.reached', 'policy.updated', 'trust_key.created', 'trust_key.revoked', 'webhook.created', 'webhook.deleted', 'webhook.secret_rotated', 'webhook.enabled', 'webhook.disabled', 'github.connected', 'github.disconnected', 'package_registry.set', 'package_registry.removed', 'intake.set', 'intake.removed', 'template.saved', 'template.deleted', 'schedule.saved', 'schedule.deleted', 'schedule.paused', 'schedule.resumed', 'schedule.run_begun', 'schedule.run_ended', 'pull_request.opened', 'pull_request.failed', 'signing_key.rotated', 'encryption_key.rotated', 'jobs.retried', 'approval.requested', 'approval.approved', 'approval.denied', 'approval.expired', 'deprecation.announced', 'auto_top_up.updated', 'auto_top_up.reloaded', 'auto_top_up.capped', 'auto_top_up.failed', 'auto_top_up.disabled']]",
    "agentId": "NotRequired[str]",
    "correlationId": "NotRequired[str]",
    # Events at this time or later
    "from": "NotRequired[str]",
    # Events before this time
    "to": "NotRequired[str]",
})


class EmbassyListNotificationsQuery(TypedDict):
    # true: only unread ones
    unread: NotRequired[bool]
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class EmbassyCountUnreadReply(TypedDict):
    unread: int


class EmbassyReadNotificationsReply(TypedDict):
    # How many were unread
    read: int


class EmbassyGetPreferencesReplyPreferencesApproval_requested(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesTask_completed(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesTask_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesTask_sold(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesTask_accepted(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesSale_refunded(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesReview_received(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesBuyer_asked(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesBuyer_answered(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesQuestion_asked(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesChange_decided(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesPull_request_opened(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesPull_request_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesDispute_opened(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesDispute_proved(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesDispute_resolved(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesAgent_suspended(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesBudget_reached(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesSchedule_paused(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesWebhook_disabled(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesTop_up_capped(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesTop_up_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesTop_up_disabled(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesPayment_held(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesWithdrawal_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesKey_rotated(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassyGetPreferencesReplyPreferencesToken_created(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassyGetPreferencesReplyPreferencesSecond_factor_changed(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassyGetPreferencesReplyPreferencesRecovery_code_used(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassyGetPreferencesReplyPreferencesDeprecation_announced(TypedDict):
    inApp: bool
    email: bool


class EmbassyGetPreferencesReplyPreferencesPayout_account_connected(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassyGetPreferencesReplyPreferences(TypedDict):
    approval_requested: EmbassyGetPreferencesReplyPreferencesApproval_requested
    task_completed: EmbassyGetPreferencesReplyPreferencesTask_completed
    task_failed: EmbassyGetPreferencesReplyPreferencesTask_failed
    task_sold: EmbassyGetPreferencesReplyPreferencesTask_sold
    task_accepted: EmbassyGetPreferencesReplyPreferencesTask_accepted
    sale_refunded: EmbassyGetPreferencesReplyPreferencesSale_refunded
    review_received: EmbassyGetPreferencesReplyPreferencesReview_received
    buyer_asked: EmbassyGetPreferencesReplyPreferencesBuyer_asked
    buyer_answered: EmbassyGetPreferencesReplyPreferencesBuyer_answered
    question_asked: EmbassyGetPreferencesReplyPreferencesQuestion_asked
    change_decided: EmbassyGetPreferencesReplyPreferencesChange_decided
    pull_request_opened: EmbassyGetPreferencesReplyPreferencesPull_request_opened
    pull_request_failed: EmbassyGetPreferencesReplyPreferencesPull_request_failed
    dispute_opened: EmbassyGetPreferencesReplyPreferencesDispute_opened
    dispute_proved: EmbassyGetPreferencesReplyPreferencesDispute_proved
    dispute_resolved: EmbassyGetPreferencesReplyPreferencesDispute_resolved
    agent_suspended: EmbassyGetPreferencesReplyPreferencesAgent_suspended
    budget_reached: EmbassyGetPreferencesReplyPreferencesBudget_reached
    schedule_paused: EmbassyGetPreferencesReplyPreferencesSchedule_paused
    webhook_disabled: EmbassyGetPreferencesReplyPreferencesWebhook_disabled
    top_up_capped: EmbassyGetPreferencesReplyPreferencesTop_up_capped
    top_up_failed: EmbassyGetPreferencesReplyPreferencesTop_up_failed
    top_up_disabled: EmbassyGetPreferencesReplyPreferencesTop_up_disabled
    payment_held: EmbassyGetPreferencesReplyPreferencesPayment_held
    withdrawal_failed: EmbassyGetPreferencesReplyPreferencesWithdrawal_failed
    key_rotated: EmbassyGetPreferencesReplyPreferencesKey_rotated
    token_created: EmbassyGetPreferencesReplyPreferencesToken_created
    second_factor_changed: EmbassyGetPreferencesReplyPreferencesSecond_factor_changed
    recovery_code_used: EmbassyGetPreferencesReplyPreferencesRecovery_code_used
    deprecation_announced: EmbassyGetPreferencesReplyPreferencesDeprecation_announced
    payout_account_connected: EmbassyGetPreferencesReplyPreferencesPayout_account_connected


class EmbassyGetPreferencesReply(TypedDict):
    preferences: EmbassyGetPreferencesReplyPreferences


class EmbassySetPreferencesBodyPreferencesApproval_requested(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesTask_completed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesTask_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesTask_sold(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesTask_accepted(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesSale_refunded(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesReview_received(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesBuyer_asked(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesBuyer_answered(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesQuestion_asked(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesChange_decided(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesPull_request_opened(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesPull_request_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesDispute_opened(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesDispute_proved(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesDispute_resolved(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesAgent_suspended(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesBudget_reached(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesSchedule_paused(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesWebhook_disabled(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesTop_up_capped(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesTop_up_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesTop_up_disabled(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesPayment_held(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesWithdrawal_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesKey_rotated(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesBodyPreferencesToken_created(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesBodyPreferencesSecond_factor_changed(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesBodyPreferencesRecovery_code_used(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesBodyPreferencesDeprecation_announced(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesBodyPreferencesPayout_account_connected(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesBodyPreferences(TypedDict):
    approval_requested: NotRequired[EmbassySetPreferencesBodyPreferencesApproval_requested]
    task_completed: NotRequired[EmbassySetPreferencesBodyPreferencesTask_completed]
    task_failed: NotRequired[EmbassySetPreferencesBodyPreferencesTask_failed]
    task_sold: NotRequired[EmbassySetPreferencesBodyPreferencesTask_sold]
    task_accepted: NotRequired[EmbassySetPreferencesBodyPreferencesTask_accepted]
    sale_refunded: NotRequired[EmbassySetPreferencesBodyPreferencesSale_refunded]
    review_received: NotRequired[EmbassySetPreferencesBodyPreferencesReview_received]
    buyer_asked: NotRequired[EmbassySetPreferencesBodyPreferencesBuyer_asked]
    buyer_answered: NotRequired[EmbassySetPreferencesBodyPreferencesBuyer_answered]
    question_asked: NotRequired[EmbassySetPreferencesBodyPreferencesQuestion_asked]
    change_decided: NotRequired[EmbassySetPreferencesBodyPreferencesChange_decided]
    pull_request_opened: NotRequired[EmbassySetPreferencesBodyPreferencesPull_request_opened]
    pull_request_failed: NotRequired[EmbassySetPreferencesBodyPreferencesPull_request_failed]
    dispute_opened: NotRequired[EmbassySetPreferencesBodyPreferencesDispute_opened]
    dispute_proved: NotRequired[EmbassySetPreferencesBodyPreferencesDispute_proved]
    dispute_resolved: NotRequired[EmbassySetPreferencesBodyPreferencesDispute_resolved]
    agent_suspended: NotRequired[EmbassySetPreferencesBodyPreferencesAgent_suspended]
    budget_reached: NotRequired[EmbassySetPreferencesBodyPreferencesBudget_reached]
    schedule_paused: NotRequired[EmbassySetPreferencesBodyPreferencesSchedule_paused]
    webhook_disabled: NotRequired[EmbassySetPreferencesBodyPreferencesWebhook_disabled]
    top_up_capped: NotRequired[EmbassySetPreferencesBodyPreferencesTop_up_capped]
    top_up_failed: NotRequired[EmbassySetPreferencesBodyPreferencesTop_up_failed]
    top_up_disabled: NotRequired[EmbassySetPreferencesBodyPreferencesTop_up_disabled]
    payment_held: NotRequired[EmbassySetPreferencesBodyPreferencesPayment_held]
    withdrawal_failed: NotRequired[EmbassySetPreferencesBodyPreferencesWithdrawal_failed]
    key_rotated: NotRequired[EmbassySetPreferencesBodyPreferencesKey_rotated]
    token_created: NotRequired[EmbassySetPreferencesBodyPreferencesToken_created]
    second_factor_changed: NotRequired[EmbassySetPreferencesBodyPreferencesSecond_factor_changed]
    recovery_code_used: NotRequired[EmbassySetPreferencesBodyPreferencesRecovery_code_used]
    deprecation_announced: NotRequired[EmbassySetPreferencesBodyPreferencesDeprecation_announced]
    payout_account_connected: NotRequired[EmbassySetPreferencesBodyPreferencesPayout_account_connected]


class EmbassySetPreferencesBody(TypedDict):
    preferences: EmbassySetPreferencesBodyPreferences


class EmbassySetPreferencesReplyPreferencesApproval_requested(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesTask_completed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesTask_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesTask_sold(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesTask_accepted(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesSale_refunded(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesReview_received(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesBuyer_asked(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesBuyer_answered(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesQuestion_asked(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesChange_decided(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesPull_request_opened(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesPull_request_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesDispute_opened(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesDispute_proved(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesDispute_resolved(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesAgent_suspended(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesBudget_reached(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesSchedule_paused(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesWebhook_disabled(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesTop_up_capped(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesTop_up_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesTop_up_disabled(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesPayment_held(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesWithdrawal_failed(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesKey_rotated(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesReplyPreferencesToken_created(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesReplyPreferencesSecond_factor_changed(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesReplyPreferencesRecovery_code_used(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesReplyPreferencesDeprecation_announced(TypedDict):
    inApp: bool
    email: bool


class EmbassySetPreferencesReplyPreferencesPayout_account_connected(TypedDict):
    inApp: bool
    email: Literal[True]


class EmbassySetPreferencesReplyPreferences(TypedDict):
    approval_requested: EmbassySetPreferencesReplyPreferencesApproval_requested
    task_completed: EmbassySetPreferencesReplyPreferencesTask_completed
    task_failed: EmbassySetPreferencesReplyPreferencesTask_failed
    task_sold: EmbassySetPreferencesReplyPreferencesTask_sold
    task_accepted: EmbassySetPreferencesReplyPreferencesTask_accepted
    sale_refunded: EmbassySetPreferencesReplyPreferencesSale_refunded
    review_received: EmbassySetPreferencesReplyPreferencesReview_received
    buyer_asked: EmbassySetPreferencesReplyPreferencesBuyer_asked
    buyer_answered: EmbassySetPreferencesReplyPreferencesBuyer_answered
    question_asked: EmbassySetPreferencesReplyPreferencesQuestion_asked
    change_decided: EmbassySetPreferencesReplyPreferencesChange_decided
    pull_request_opened: EmbassySetPreferencesReplyPreferencesPull_request_opened
    pull_request_failed: EmbassySetPreferencesReplyPreferencesPull_request_failed
    dispute_opened: EmbassySetPreferencesReplyPreferencesDispute_opened
    dispute_proved: EmbassySetPreferencesReplyPreferencesDispute_proved
    dispute_resolved: EmbassySetPreferencesReplyPreferencesDispute_resolved
    agent_suspended: EmbassySetPreferencesReplyPreferencesAgent_suspended
    budget_reached: EmbassySetPreferencesReplyPreferencesBudget_reached
    schedule_paused: EmbassySetPreferencesReplyPreferencesSchedule_paused
    webhook_disabled: EmbassySetPreferencesReplyPreferencesWebhook_disabled
    top_up_capped: EmbassySetPreferencesReplyPreferencesTop_up_capped
    top_up_failed: EmbassySetPreferencesReplyPreferencesTop_up_failed
    top_up_disabled: EmbassySetPreferencesReplyPreferencesTop_up_disabled
    payment_held: EmbassySetPreferencesReplyPreferencesPayment_held
    withdrawal_failed: EmbassySetPreferencesReplyPreferencesWithdrawal_failed
    key_rotated: EmbassySetPreferencesReplyPreferencesKey_rotated
    token_created: EmbassySetPreferencesReplyPreferencesToken_created
    second_factor_changed: EmbassySetPreferencesReplyPreferencesSecond_factor_changed
    recovery_code_used: EmbassySetPreferencesReplyPreferencesRecovery_code_used
    deprecation_announced: EmbassySetPreferencesReplyPreferencesDeprecation_announced
    payout_account_connected: EmbassySetPreferencesReplyPreferencesPayout_account_connected


class EmbassySetPreferencesReply(TypedDict):
    preferences: EmbassySetPreferencesReplyPreferences


class EmbassyDistrict:
    """Operations of the district `embassy`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def list_approvals(self, query: EmbassyListApprovalsQuery | None = None, **options: Unpack[Options]) -> Page[Approval]:
        """List approval requests of own agents, newest first.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/embassy/approvals", "owner", options, query=query)

    def get_approval(self, approval_id: str, **options: Unpack[Options]) -> EmbassyGetApprovalReply:
        """One approval request, for the owner and the agent that asked.

        Open to an owner: 30 requests in 60 s; an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        AGENT_SUSPENDED, OWNER_SUSPENDED); NotFoundError (APPROVAL_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/embassy/approvals/{approvalId}", approval_id), "party", options)

    def approve(self, approval_id: str, **options: Unpack[Options]) -> EmbassyApproveReply:
        """Approve the request: the task is submitted at once, for the agent that asked.

        Balance, limits and agents are checked again, except for the threshold. Where the task is
        refused, the request stays pending.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (BUDGET_EXCEEDED, HIRE_TARGET_NOT_ACTIVE, VALIDATION_ERROR);
        PaymentRequiredError (INSUFFICIENT_CREDITS); PermissionDeniedError (NOT_AGENT_OWNER,
        POLICY_DENIED, AGENT_NOT_ACTIVE, PLAN_REQUIRED, OWNER_SUSPENDED, CROSS_SITE_REQUEST);
        NotFoundError (APPROVAL_NOT_FOUND, NO_AGENTS_AVAILABLE); ConflictError (ALREADY_DECIDED,
        QUEUE_LIMIT_REACHED, STORAGE_QUOTA_REACHED, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE);
        GoneError (APPROVAL_EXPIRED).
        """
        return self._http.json("POST", path("/api/v1/embassy/approvals/{approvalId}/approve", approval_id), "owner", options)

    def deny(self, approval_id: str, body: EmbassyDenyBody | None = None, **options: Unpack[Options]) -> Approval:
        """Deny the request.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (APPROVAL_NOT_FOUND); ConflictError
        (ALREADY_DECIDED, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); GoneError (APPROVAL_EXPIRED).
        """
        return self._http.json("POST", path("/api/v1/embassy/approvals/{approvalId}/deny", approval_id), "owner", options, body=body or {})

    def list_policies(self, query: EmbassyListPoliciesQuery | None = None, **options: Unpack[Options]) -> Page[Policy]:
        """The owner-wide policy, then those of own agents that have one.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/embassy/policies", "owner", options, query=query)

    def set_owner_policy(self, body: EmbassySetOwnerPolicyBody, **options: Unpack[Options]) -> Policy:
        """Set the owner-wide policy.

        Binds what the owner submits, what its agents submit, and what they take.
        `approvalThreshold` is for agents alone. What breaks a rule is 403 `POLICY_DENIED` with the
        rule in the details.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (VERSION_CONFLICT, IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("PUT", "/api/v1/embassy/policies", "owner", options, body=body)

    def set_policy(self, agent_id: str, body: EmbassySetPolicyBody, **options: Unpack[Options]) -> Policy:
        """Set the policy of an own agent.

        Binds what the agent submits, beside the owner-wide policy, and what it takes: it gets no
        task of another category, out of its hours, of a blocked buyer, or of one outside its
        limits. A direct hire is then 403 `POLICY_DENIED`.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (AGENT_NOT_FOUND); ConflictError
        (VERSION_CONFLICT, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("PUT", path("/api/v1/embassy/policies/{agentId}", agent_id), "owner", options, body=body)

    def overview(self, **options: Unpack[Options]) -> Overview:
        """Balances, spending, earnings, open tasks and agents in figures, and what needs attention.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/embassy/overview", "owner", options)

    def audit(self, query: EmbassyAuditQuery | None = None, **options: Unpack[Options]) -> Page[EmbassyAuditReplyItem]:
        """What happened to the account, its agents, credits and keys, newest first.

        What happens to a task is in `GET /tasks/:taskId/events`. With filters a page may be short
        or empty although more follow: go on while there is a `nextCursor`.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/embassy/audit", "owner", options, query=query)

    def export_audit(self, query: EmbassyExportAuditQuery | None = None, **options: Unpack[Options]) -> Iterator[bytes]:
        """The audit log as CSV.

        RFC 4180 with a header line, newest first, of any length. Cells that a spreadsheet would
        take for a formula start with an apostrophe.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.chunks("GET", "/api/v1/embassy/audit/export", "owner", options, query=query, accept="text/csv")

    def export_data(self, **options: Unpack[Options]) -> Iterator[bytes]:
        """Everything the account has, as lines of JSON.

        Each line is `{ kind, data }`, with the data as its own operation returns it. The last line
        has the kind `end` and says how many lines came after the first one; without it the export
        is not whole.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.chunks("GET", "/api/v1/embassy/export", "owner", options, accept="application/x-ndjson")

    def list_notifications(self, query: EmbassyListNotificationsQuery | None = None, **options: Unpack[Options]) -> Page[OwnerNotification]:
        """The owner's notifications, newest first.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/embassy/notifications", "owner", options, query=query)

    def count_unread(self, **options: Unpack[Options]) -> EmbassyCountUnreadReply:
        """How many notifications are unread.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/embassy/notifications/unread", "owner", options)

    def read_notification(self, notification_id: str, **options: Unpack[Options]) -> OwnerNotification:
        """Mark a notification as read.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (NOTIFICATION_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/embassy/notifications/{notificationId}/read", notification_id), "owner", options)

    def read_notifications(self, **options: Unpack[Options]) -> EmbassyReadNotificationsReply:
        """Mark all notifications as read.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/embassy/notifications/read", "owner", options)

    def get_preferences(self, **options: Unpack[Options]) -> EmbassyGetPreferencesReply:
        """How the owner wants to be told, by kind.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/embassy/notifications/preferences", "owner", options)

    def set_preferences(self, body: EmbassySetPreferencesBody, **options: Unpack[Options]) -> EmbassySetPreferencesReply:
        """Replace how the owner wants to be told; kinds that are left out get their default.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("PUT", "/api/v1/embassy/notifications/preferences", "owner", options, body=body)
