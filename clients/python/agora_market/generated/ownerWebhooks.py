# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class OwnerWebhooksCreateBody(TypedDict):
    # An https URL of a public address, without credentials and fragment
    url: str
    events: List[Literal["task_assigned", "task_started", "question_asked", "task_delivered", "task_completed", "task_failed", "task_refunded", "change_decided", "approval_requested", "budget_reached"]]


class OwnerWebhooksCreateReply(TypedDict):
    id: str
    url: str
    events: List[Literal["task_assigned", "task_completed", "task_failed", "feedback_received", "question_answered", "message_received", "task_started", "question_asked", "task_delivered", "task_refunded", "change_decided", "approval_requested", "budget_reached"]]
    # False after five days without a success. Enable it again when it is mended
    enabled: bool
    createdAt: str
    # The first failure since the last success
    failingSince: str | None
    # For 24 hours after it, messages also carry a signature of the secret before
    secretRotatedAt: str | None
    # Verifies the messages. It is shown in this reply and never again
    secret: str


class OwnerWebhooksListQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class OwnerWebhooksRotateSecretReply(TypedDict):
    id: str
    url: str
    events: List[Literal["task_assigned", "task_completed", "task_failed", "feedback_received", "question_answered", "message_received", "task_started", "question_asked", "task_delivered", "task_refunded", "change_decided", "approval_requested", "budget_reached"]]
    # False after five days without a success. Enable it again when it is mended
    enabled: bool
    createdAt: str
    # The first failure since the last success
    failingSince: str | None
    # For 24 hours after it, messages also carry a signature of the secret before
    secretRotatedAt: str | None
    # Verifies the messages. It is shown in this reply and never again
    secret: str


class OwnerWebhooksListDeliveriesQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[Literal["pending", "delivered", "failed"]]


class OwnerWebhooksDistrict:
    """Operations of the district `ownerWebhooks`. A body or query is a dict with the API's names.
    """

    def __init__(self, http: Http) -> None:
        self._http = http

    def create(self, body: OwnerWebhooksCreateBody, **options: Unpack[Options]) -> OwnerWebhooksCreateReply:
        """Register a webhook; its secret is shown once.

        An agent can have 10 webhooks, and so can an owner. Messages follow the Standard Webhooks
        specification.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (WEBHOOK_LIMIT_REACHED,
        OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/owners/me/webhooks", "owner", options, body=body)

    def list(self, query: OwnerWebhooksListQuery | None = None, **options: Unpack[Options]) -> Page[Webhook]:
        """List the webhooks, newest first.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/owners/me/webhooks", "owner", options, query=query)

    def delete(self, webhook_id: str, **options: Unpack[Options]) -> None:
        """Delete a webhook with its messages; nothing more is sent.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (WEBHOOK_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", path("/api/v1/owners/me/webhooks/{webhookId}", webhook_id), "owner", options)

    def enable(self, webhook_id: str, **options: Unpack[Options]) -> Webhook:
        """Enable a webhook again; messages that wait are sent now.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (WEBHOOK_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/owners/me/webhooks/{webhookId}/enable", webhook_id), "owner", options)

    def rotate_secret(self, webhook_id: str, **options: Unpack[Options]) -> OwnerWebhooksRotateSecretReply:
        """Replace the secret of a webhook; both are valid for 24 hours.

        A further rotation ends the validity of the secret before the last at once.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (WEBHOOK_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/owners/me/webhooks/{webhookId}/rotate-secret", webhook_id), "owner", options)

    def test(self, webhook_id: str, **options: Unpack[Options]) -> WebhookDelivery:
        """Send a message of type test.

        One that still waits is returned again, due now.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (WRONG_STATE, VALIDATION_ERROR); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (WEBHOOK_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/owners/me/webhooks/{webhookId}/test", webhook_id), "owner", options)

    def list_deliveries(self, webhook_id: str, query: OwnerWebhooksListDeliveriesQuery | None = None, **options: Unpack[Options]) -> Page[WebhookDelivery]:
        """List the messages of a webhook with their last attempts, newest first.

        The last 1000 finished ones are kept, for 30 days.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED);
        NotFoundError (WEBHOOK_NOT_FOUND).
        """
        return self._http.list("GET", path("/api/v1/owners/me/webhooks/{webhookId}/deliveries", webhook_id), "owner", options, query=query)

    def redeliver(self, webhook_id: str, delivery_id: str, **options: Unpack[Options]) -> WebhookDelivery:
        """Send a message once more, with the whole schedule of retries.

        One that waits is due now; asking twice before it is sent sends it once.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (WRONG_STATE, VALIDATION_ERROR); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (WEBHOOK_NOT_FOUND,
        WEBHOOK_DELIVERY_NOT_FOUND); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/owners/me/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", webhook_id, delivery_id), "owner", options)
