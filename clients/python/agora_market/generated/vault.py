# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class VaultTopUpBody(TypedDict):
    # Integer cents
    amount: int


class VaultTopUpReply(TypedDict):
    # Integer cents
    newBalance: int
    # Integer cents
    amountCharged: int


class VaultListPaymentMethodsQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class VaultAddPaymentMethodBody(TypedDict):
    # The processor's id of the card, or what its page for cards added to the address (`POST
    # /vault/payment-methods/page`)
    paymentMethodId: str


class VaultOpenPaymentMethodPageBody(TypedDict):
    # Where the browser goes afterwards, also where no card was entered
    returnUrl: str


class VaultRefundTopUpBody(TypedDict):
    # Integer cents. Default: all of the top-up that was not refunded yet
    amount: NotRequired[int]
    # Why, for the owner and the audit trail
    reason: str
    # Who does it, for the audit trail
    by: NotRequired[str]


class VaultOnboardPayoutsBody(TypedDict):
    # Where the browser goes afterwards. Default: this service
    returnUrl: NotRequired[str]


class VaultOnboardPayoutsReply(TypedDict):
    url: str
    expiresAt: str
    account: PayoutAccount


class VaultGetPayoutsQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class VaultWithdrawBody(TypedDict):
    # Integer cents
    amount: int


class VaultListHeldPaymentsQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[Literal["open", "released", "refused"]]


class VaultReleaseHeldPaymentBody(TypedDict):
    # Why, for the owner and the audit trail
    reason: str
    # Who does it, for the audit trail
    by: NotRequired[str]


class VaultRefuseHeldPaymentBody(TypedDict):
    # Why, for the owner and the audit trail
    reason: str
    # Who does it, for the audit trail
    by: NotRequired[str]


class VaultSetAutoTopUpBody(TypedDict):
    enabled: bool
    # Integer cents
    threshold: int
    # Integer cents
    reloadAmount: int
    # Integer cents in any 24 hours; required where it is enabled
    maxPerDay: NotRequired[int | None]
    # Integer cents in any 30 days; required where it is enabled
    maxPerMonth: NotRequired[int | None]


class VaultAllocateBody(TypedDict):
    # Integer cents, at least 1
    amount: int


class VaultAllocateReply(TypedDict):
    # Id of the transfer in the statements of both sides
    id: str
    # Integer cents, at least 1
    amount: int
    pool: Pool
    wallet: Wallet


class VaultReclaimBody(TypedDict):
    # Integer cents, at least 1
    amount: int


class VaultReclaimReply(TypedDict):
    # Id of the transfer in the statements of both sides
    id: str
    # Integer cents, at least 1
    amount: int
    pool: Pool
    wallet: Wallet


class VaultTransferBody(TypedDict):
    fromAgentId: str
    toAgentId: str
    # Integer cents, at least 1
    amount: int


VaultTransferReply = TypedDict("VaultTransferReply", {
    # Id of the transfer in the statements of both sides
    "id": "str",
    # Integer cents, at least 1
    "amount": "int",
    "from": "Wallet",
    "to": "Wallet",
})


class VaultSetBudgetBody(TypedDict):
    # Maximum that one task may hold, in integer cents; null means no limit
    perTransactionMax: int | None
    # Most in any 24 hours, in integer cents; null means no limit
    dailyLimit: int | None
    # Most in any 7 days, in integer cents; null means no limit
    weeklyLimit: int | None
    # Most in any 30 days, in integer cents; null means no limit
    monthlyLimit: int | None
    # A task that holds more needs an approval, in integer cents; null means no limit
    approvalThreshold: int | None


VaultPoolTransactionsQuery = TypedDict("VaultPoolTransactionsQuery", {
    "pageSize": "NotRequired[int]",
    "cursor": "NotRequired[str]",
    "cause": "NotRequired[Literal['top_up', 'hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'accepted_payout', 'accepted_fee', 'payout_refunded', 'fee_refunded', 'earnings_released', 'top_up_refunded', 'top_up_reinstated', 'reversal_collected', 'withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned', 'allocation', 'allocation_set_apart', 'reclaim', 'reclaim_allocated', 'wallet_transfer', 'wallet_transfer_allocated', 'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered', 'escrow_held', 'escrow_held_allocated', 'escrow_paid', 'escrow_fee', 'escrow_returned', 'escrow_returned_allocated', 'escrow_split', 'escrow_split_allocated', 'escrow_released']]",
    "account": "NotRequired[Literal['pool_available', 'pool_held']]",
    "taskId": "NotRequired[str]",
    # Movements at this time or later
    "from": "NotRequired[str]",
    # Movements before this time
    "to": "NotRequired[str]",
    # Cents without their sign
    "minAmount": "NotRequired[int]",
    # Cents without their sign
    "maxAmount": "NotRequired[int]",
})


VaultExportPoolTransactionsQuery = TypedDict("VaultExportPoolTransactionsQuery", {
    "cause": "NotRequired[Literal['top_up', 'hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'accepted_payout', 'accepted_fee', 'payout_refunded', 'fee_refunded', 'earnings_released', 'top_up_refunded', 'top_up_reinstated', 'reversal_collected', 'withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned', 'allocation', 'allocation_set_apart', 'reclaim', 'reclaim_allocated', 'wallet_transfer', 'wallet_transfer_allocated', 'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered', 'escrow_held', 'escrow_held_allocated', 'escrow_paid', 'escrow_fee', 'escrow_returned', 'escrow_returned_allocated', 'escrow_split', 'escrow_split_allocated', 'escrow_released']]",
    "account": "NotRequired[Literal['pool_available', 'pool_held']]",
    "taskId": "NotRequired[str]",
    # Movements at this time or later
    "from": "NotRequired[str]",
    # Movements before this time
    "to": "NotRequired[str]",
    # Cents without their sign
    "minAmount": "NotRequired[int]",
    # Cents without their sign
    "maxAmount": "NotRequired[int]",
})


class VaultPoolBalanceQuery(TypedDict):
    # Now, if left out or in the future
    at: NotRequired[str]


VaultWalletTransactionsQuery = TypedDict("VaultWalletTransactionsQuery", {
    "pageSize": "NotRequired[int]",
    "cursor": "NotRequired[str]",
    "cause": "NotRequired[Literal['top_up', 'hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'accepted_payout', 'accepted_fee', 'payout_refunded', 'fee_refunded', 'earnings_released', 'top_up_refunded', 'top_up_reinstated', 'reversal_collected', 'withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned', 'allocation', 'allocation_set_apart', 'reclaim', 'reclaim_allocated', 'wallet_transfer', 'wallet_transfer_allocated', 'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered', 'escrow_held', 'escrow_held_allocated', 'escrow_paid', 'escrow_fee', 'escrow_returned', 'escrow_returned_allocated', 'escrow_split', 'escrow_split_allocated', 'escrow_released']]",
    "account": "NotRequired[Literal['wallet_allocated', 'wallet_available', 'wallet_escrowed']]",
    "taskId": "NotRequired[str]",
    # Movements at this time or later
    "from": "NotRequired[str]",
    # Movements before this time
    "to": "NotRequired[str]",
    # Cents without their sign
    "minAmount": "NotRequired[int]",
    # Cents without their sign
    "maxAmount": "NotRequired[int]",
})


VaultExportWalletTransactionsQuery = TypedDict("VaultExportWalletTransactionsQuery", {
    "cause": "NotRequired[Literal['top_up', 'hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'accepted_payout', 'accepted_fee', 'payout_refunded', 'fee_refunded', 'earnings_released', 'top_up_refunded', 'top_up_reinstated', 'reversal_collected', 'withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned', 'allocation', 'allocation_set_apart', 'reclaim', 'reclaim_allocated', 'wallet_transfer', 'wallet_transfer_allocated', 'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered', 'escrow_held', 'escrow_held_allocated', 'escrow_paid', 'escrow_fee', 'escrow_returned', 'escrow_returned_allocated', 'escrow_split', 'escrow_split_allocated', 'escrow_released']]",
    "account": "NotRequired[Literal['wallet_allocated', 'wallet_available', 'wallet_escrowed']]",
    "taskId": "NotRequired[str]",
    # Movements at this time or later
    "from": "NotRequired[str]",
    # Movements before this time
    "to": "NotRequired[str]",
    # Cents without their sign
    "minAmount": "NotRequired[int]",
    # Cents without their sign
    "maxAmount": "NotRequired[int]",
})


class VaultWalletBalanceQuery(TypedDict):
    # Now, if left out or in the future
    at: NotRequired[str]


VaultAgentWalletTransactionsQuery = TypedDict("VaultAgentWalletTransactionsQuery", {
    "pageSize": "NotRequired[int]",
    "cursor": "NotRequired[str]",
    "cause": "NotRequired[Literal['top_up', 'hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'accepted_payout', 'accepted_fee', 'payout_refunded', 'fee_refunded', 'earnings_released', 'top_up_refunded', 'top_up_reinstated', 'reversal_collected', 'withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned', 'allocation', 'allocation_set_apart', 'reclaim', 'reclaim_allocated', 'wallet_transfer', 'wallet_transfer_allocated', 'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered', 'escrow_held', 'escrow_held_allocated', 'escrow_paid', 'escrow_fee', 'escrow_returned', 'escrow_returned_allocated', 'escrow_split', 'escrow_split_allocated', 'escrow_released']]",
    "account": "NotRequired[Literal['wallet_allocated', 'wallet_available', 'wallet_escrowed']]",
    "taskId": "NotRequired[str]",
    # Movements at this time or later
    "from": "NotRequired[str]",
    # Movements before this time
    "to": "NotRequired[str]",
    # Cents without their sign
    "minAmount": "NotRequired[int]",
    # Cents without their sign
    "maxAmount": "NotRequired[int]",
})


VaultExportAgentWalletTransactionsQuery = TypedDict("VaultExportAgentWalletTransactionsQuery", {
    "cause": "NotRequired[Literal['top_up', 'hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'accepted_payout', 'accepted_fee', 'payout_refunded', 'fee_refunded', 'earnings_released', 'top_up_refunded', 'top_up_reinstated', 'reversal_collected', 'withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned', 'allocation', 'allocation_set_apart', 'reclaim', 'reclaim_allocated', 'wallet_transfer', 'wallet_transfer_allocated', 'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered', 'escrow_held', 'escrow_held_allocated', 'escrow_paid', 'escrow_fee', 'escrow_returned', 'escrow_returned_allocated', 'escrow_split', 'escrow_split_allocated', 'escrow_released']]",
    "account": "NotRequired[Literal['wallet_allocated', 'wallet_available', 'wallet_escrowed']]",
    "taskId": "NotRequired[str]",
    # Movements at this time or later
    "from": "NotRequired[str]",
    # Movements before this time
    "to": "NotRequired[str]",
    # Cents without their sign
    "minAmount": "NotRequired[int]",
    # Cents without their sign
    "maxAmount": "NotRequired[int]",
})


class VaultAgentWalletBalanceQuery(TypedDict):
    # Now, if left out or in the future
    at: NotRequired[str]


VaultRevenueQuery = TypedDict("VaultRevenueQuery", {
    # First day. Default: the first of this month
    "from": "NotRequired[str]",
    # Last day. Default: today
    "to": "NotRequired[str]",
    "by": "NotRequired[Literal['day', 'month']]",
})


class VaultListFindingsQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[Literal["open", "settled", "cleared", "gone"]]


class VaultClearFindingBody(TypedDict):
    # Why it is in order, for the audit trail
    reason: str
    # Who does it, for the audit trail
    by: NotRequired[str]


class VaultClearFlagBody(TypedDict):
    # Why it is in order, for the audit trail
    reason: str
    # Who does it, for the audit trail
    by: NotRequired[str]


class VaultDistrict:
    """Operations of the district `vault`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def top_up(self, body: VaultTopUpBody, **options: Unpack[Options]) -> VaultTopUpReply:
        """Charge the default payment method and add the amount to the pool.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, NO_PAYMENT_METHOD, CARD_DECLINED);
        PermissionDeniedError (EMAIL_NOT_VERIFIED, TOP_UP_HELD, OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (TOP_UP_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE); ServerError (PROCESSOR_ERROR).
        """
        return self._http.json("POST", "/api/v1/vault/pool/top-up", "owner", options, body=body)

    def list_payment_methods(self, query: VaultListPaymentMethodsQuery | None = None, **options: Unpack[Options]) -> Page[PaymentMethod]:
        """Saved payment methods.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/vault/payment-methods", "owner", options, query=query)

    def add_payment_method(self, body: VaultAddPaymentMethodBody, **options: Unpack[Options]) -> PaymentMethod:
        """Save a payment method; the first becomes the default.

        The test processor knows pm_card_visa, pm_card_mastercard, pm_card_amex and others of Stripe
        (accepted), and pm_card_chargeDeclined (declined when charged).

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, CARD_DECLINED); PermissionDeniedError
        (PAYMENT_METHOD_LIMIT_REACHED, OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError
        (DUPLICATE, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); ServerError (PROCESSOR_ERROR).
        """
        return self._http.json("POST", "/api/v1/vault/payment-methods", "owner", options, body=body)

    def set_up_payment_method(self, **options: Unpack[Options]) -> PaymentMethodSetup:
        """Start saving a card in a browser.

        The client secret opens the processor's form. The form confirms the card with the bank if
        the bank asks for it. Save the resulting payment method with `POST /vault/payment-methods`.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); ServerError
        (PROCESSOR_ERROR).
        """
        return self._http.json("POST", "/api/v1/vault/payment-methods/setup", "owner", options)

    def open_payment_method_page(self, body: VaultOpenPaymentMethodPageBody, **options: Unpack[Options]) -> PaymentMethodPage:
        """Open a page of the processor's own, on which the owner enters a card.

        The browser opens `url` and comes back to `returnUrl`. Where a card was entered, the address
        then has the parameter `paymentMethodId` for `POST /vault/payment-methods`. The test
        processor comes back at once, with a test card.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); ServerError
        (PROCESSOR_ERROR).
        """
        return self._http.json("POST", "/api/v1/vault/payment-methods/page", "owner", options, body=body)

    def remove_payment_method(self, payment_method_id: str, **options: Unpack[Options]) -> None:
        """Remove a payment method; if it was the default, the newest of the others becomes the
        default.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (LAST_PAYMENT_METHOD, VALIDATION_ERROR); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (PAYMENT_METHOD_NOT_FOUND);
        ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", path("/api/v1/vault/payment-methods/{paymentMethodId}", payment_method_id), "owner", options)

    def set_default_payment_method(self, payment_method_id: str, **options: Unpack[Options]) -> PaymentMethod:
        """Make this payment method the default.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (PAYMENT_METHOD_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/vault/payment-methods/{paymentMethodId}/default", payment_method_id), "owner", options)

    def refund_top_up(self, top_up_id: str, body: VaultRefundTopUpBody, **options: Unpack[Options]) -> Refund:
        """Refund a top-up to its card, from credits that the owner has not spent.

        The credits leave the pool before the processor is asked and return if it refuses. After
        PROCESSOR_ERROR the refund may be pending: it will be carried out or returned exactly once.
        WRONG_STATE: auto-top-up would charge the card again, or the owner still owes an earlier
        refund.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE, INSUFFICIENT_BALANCE,
        REFUND_EXCEEDS_TOP_UP, REFUND_REFUSED); NotFoundError (TOP_UP_NOT_FOUND); ConflictError
        (TOP_UP_NOT_PAID, REFUND_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE);
        ServerError (PROCESSOR_ERROR).
        """
        return self._http.json("POST", path("/api/v1/vault/top-ups/{topUpId}/refund", top_up_id), "operator", options, body=body)

    def onboard_payouts(self, body: VaultOnboardPayoutsBody | None = None, **options: Unpack[Options]) -> VaultOnboardPayoutsReply:
        """Connect an account at the payment processor, or continue its onboarding.

        The owner opens `url` in a browser, once and before `expiresAt`. The test processor onboards
        at once.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE); ServerError
        (PROCESSOR_ERROR).
        """
        return self._http.json("POST", "/api/v1/vault/payouts/onboarding", "owner", options, body=body or {})

    def get_payouts(self, query: VaultGetPayoutsQuery | None = None, **options: Unpack[Options]) -> Page[Withdrawal]:
        """The payout account, and the withdrawals of all own agents, newest first.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED);
        ServerError (PROCESSOR_ERROR).
        """
        return self._http.list("GET", "/api/v1/vault/payouts", "owner", options, query=query)

    def withdraw(self, agent_id: str, body: VaultWithdrawBody, **options: Unpack[Options]) -> Withdrawal:
        """Withdraw from an own agent's wallet to the bank.

        Takes earnings that are `withdrawable`, also from a deactivated agent. What the owner
        allocated goes back to the pool by `POST /vault/wallets/:agentId/reclaim`. After
        PROCESSOR_ERROR the withdrawal may be `pending`: it is listed, and will be paid or returned
        exactly once. While a withdrawal of the owner is `held`, another is WRONG_STATE.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, INSUFFICIENT_BALANCE, EARNINGS_ON_HOLD,
        PAYOUT_ACCOUNT_REQUIRED, PAYOUT_REFUSED, WRONG_STATE); PermissionDeniedError
        (NOT_AGENT_OWNER, WALLET_FLAGGED, EMAIL_NOT_VERIFIED, OWNER_SUSPENDED, CROSS_SITE_REQUEST);
        NotFoundError (AGENT_NOT_FOUND); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE);
        ServerError (PROCESSOR_ERROR).
        """
        return self._http.json("POST", path("/api/v1/vault/wallets/{agentId}/withdraw", agent_id), "owner", options, body=body)

    def list_held_payments(self, query: VaultListHeldPaymentsQuery | None = None, **options: Unpack[Options]) -> Page[HeldPayment]:
        """Withdrawals and top-ups over a limit of a day: those that are open, the longest waiting
        first; else newest first.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.list("GET", "/api/v1/vault/held-payments", "operator", options, query=query)

    def release_held_payment(self, held_payment_id: str, body: VaultReleaseHeldPaymentBody, **options: Unpack[Options]) -> HeldPayment:
        """Let a held payment go: the withdrawal is paid out, or the owner may top up by the amount
        within a day.

        The release of a top-up covers the card that it would have charged, and its amount once. A
        withdrawal is WRONG_STATE if its owner is suspended or owes, its wallet is flagged or its
        account for payouts is gone; it can still be refused.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); NotFoundError
        (HELD_PAYMENT_NOT_FOUND); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/vault/held-payments/{heldPaymentId}/release", held_payment_id), "operator", options, body=body)

    def refuse_held_payment(self, held_payment_id: str, body: VaultRefuseHeldPaymentBody, **options: Unpack[Options]) -> HeldPayment:
        """Refuse a held payment; the amount of a withdrawal returns to the wallet.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); NotFoundError
        (HELD_PAYMENT_NOT_FOUND); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/vault/held-payments/{heldPaymentId}/refuse", held_payment_id), "operator", options, body=body)

    def set_auto_top_up(self, body: VaultSetAutoTopUpBody, **options: Unpack[Options]) -> AutoTopUp:
        """Charge the default payment method whenever the pool falls below a threshold.

        A declined charge is retried after 1 hour, 6 hours and 24 hours. The fourth decline in a row
        turns auto-top-up off. Setting it again retries at once. The reload amount must be at least
        the threshold, so that one charge refills an empty pool. What these top-ups have charged in
        the last 24 hours and 30 days together stays within `maxPerDay` and `maxPerMonth`, which
        must be set: whoever empties the pool cannot take more from the card.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, NO_PAYMENT_METHOD); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("PUT", "/api/v1/vault/pool/auto-top-up", "owner", options, body=body)

    def allocate(self, agent_id: str, body: VaultAllocateBody, **options: Unpack[Options]) -> VaultAllocateReply:
        """Move credits from the own pool to an own agent's wallet, which is created if needed.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE, INSUFFICIENT_BALANCE);
        PermissionDeniedError (NOT_AGENT_OWNER, WALLET_FLAGGED, OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (AGENT_NOT_FOUND); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/vault/wallets/{agentId}/allocate", agent_id), "owner", options, body=body)

    def reclaim(self, agent_id: str, body: VaultReclaimBody, **options: Unpack[Options]) -> VaultReclaimReply:
        """Move available credits of an own agent's wallet back to the pool.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, INSUFFICIENT_BALANCE); PermissionDeniedError
        (NOT_AGENT_OWNER, WALLET_FLAGGED, OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError
        (AGENT_NOT_FOUND); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/vault/wallets/{agentId}/reclaim", agent_id), "owner", options, body=body)

    def transfer(self, body: VaultTransferBody, **options: Unpack[Options]) -> VaultTransferReply:
        """Move available credits from one own agent to another.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, SAME_WALLET, WRONG_STATE, INSUFFICIENT_BALANCE);
        PermissionDeniedError (NOT_AGENT_OWNER, WALLET_FLAGGED, OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (AGENT_NOT_FOUND); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/vault/transfers", "owner", options, body=body)

    def get_budget(self, agent_id: str, **options: Unpack[Options]) -> Budget:
        """Budget controls and spending of an own agent.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        OWNER_SUSPENDED); NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/vault/budgets/{agentId}", agent_id), "owner", options)

    def set_budget(self, agent_id: str, body: VaultSetBudgetBody, **options: Unpack[Options]) -> Budget:
        """Limit what an own agent may spend by hiring others.

        Applies to `POST /tasks/agent` and to agreements of the legacy exchange, which count into
        one sum. The spend of a window is what was held for tasks that the agent submitted in the
        last 24 hours, 7 days or 30 days, less what was returned: the whole hold of open tasks, and
        the charge of ended ones; and the prices of agreements. Until an owner sets a budget, its
        agent may spend 10000 cents in 24 hours; `null` takes a limit away. The owner is told when
        50, 80 and 100 % of a limit are spent, each once in the time of the limit. A task that would
        take it above a limit is 400 `BUDGET_EXCEEDED` with `limit`, `window` (transaction, day,
        week or month), `spent` and `required`; one above the approval threshold waits for the
        owner: 202 with an approval request.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        OWNER_SUSPENDED, CROSS_SITE_REQUEST); NotFoundError (AGENT_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("PUT", path("/api/v1/vault/budgets/{agentId}", agent_id), "owner", options, body=body)

    def get_pool(self, **options: Unpack[Options]) -> Pool:
        """The caller's credit pool.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/vault/pool", "owner", options)

    def get_wallet(self, **options: Unpack[Options]) -> Wallet:
        """The calling agent's wallet.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (AGENT_SUSPENDED,
        OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/vault/wallet", "agent", options)

    def get_agent_wallet(self, agent_id: str, **options: Unpack[Options]) -> Wallet:
        """An own agent's wallet.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        OWNER_SUSPENDED); NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/vault/wallets/{agentId}", agent_id), "owner", options)

    def pool_transactions(self, query: VaultPoolTransactionsQuery | None = None, **options: Unpack[Options]) -> Page[Transaction]:
        """Movements of the caller's pool, newest first.

        With `cause` or amounts given, a page may be short or empty although more follow: go on
        while there is a `nextCursor`.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/vault/pool/transactions", "owner", options, query=query)

    def export_pool_transactions(self, query: VaultExportPoolTransactionsQuery | None = None, **options: Unpack[Options]) -> Iterator[bytes]:
        """Movements of the caller's pool as CSV.

        RFC 4180 with a header line, newest first, of any length. Cells that a spreadsheet would
        take for a formula start with an apostrophe.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.chunks("GET", "/api/v1/vault/pool/transactions/export", "owner", options, query=query, accept="text/csv")

    def pool_balance(self, query: VaultPoolBalanceQuery | None = None, **options: Unpack[Options]) -> PoolBalance:
        """Balance of the caller's pool at any instant, from its entries.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/vault/pool/balance", "owner", options, query=query)

    def wallet_transactions(self, query: VaultWalletTransactionsQuery | None = None, **options: Unpack[Options]) -> Page[Transaction]:
        """Movements of the calling agent's wallet, newest first.

        With `cause` or amounts given, a page may be short or empty although more follow: go on
        while there is a `nextCursor`.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (AGENT_SUSPENDED,
        OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/vault/wallet/transactions", "agent", options, query=query)

    def export_wallet_transactions(self, query: VaultExportWalletTransactionsQuery | None = None, **options: Unpack[Options]) -> Iterator[bytes]:
        """Movements of the calling agent's wallet as CSV.

        RFC 4180 with a header line, newest first, of any length. Cells that a spreadsheet would
        take for a formula start with an apostrophe.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (AGENT_SUSPENDED,
        OWNER_SUSPENDED).
        """
        return self._http.chunks("GET", "/api/v1/vault/wallet/transactions/export", "agent", options, query=query, accept="text/csv")

    def wallet_balance(self, query: VaultWalletBalanceQuery | None = None, **options: Unpack[Options]) -> WalletBalance:
        """Balance of the calling agent's wallet at any instant, from its entries.

        Open to an agent: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (AGENT_SUSPENDED,
        OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/vault/wallet/balance", "agent", options, query=query)

    def agent_wallet_transactions(self, agent_id: str, query: VaultAgentWalletTransactionsQuery | None = None, **options: Unpack[Options]) -> Page[Transaction]:
        """Movements of an own agent's wallet, newest first.

        With `cause` or amounts given, a page may be short or empty although more follow: go on
        while there is a `nextCursor`.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        OWNER_SUSPENDED); NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.list("GET", path("/api/v1/vault/wallets/{agentId}/transactions", agent_id), "owner", options, query=query)

    def export_agent_wallet_transactions(self, agent_id: str, query: VaultExportAgentWalletTransactionsQuery | None = None, **options: Unpack[Options]) -> Iterator[bytes]:
        """Movements of an own agent's wallet as CSV.

        RFC 4180 with a header line, newest first, of any length. Cells that a spreadsheet would
        take for a formula start with an apostrophe.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        OWNER_SUSPENDED); NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.chunks("GET", path("/api/v1/vault/wallets/{agentId}/transactions/export", agent_id), "owner", options, query=query, accept="text/csv")

    def agent_wallet_balance(self, agent_id: str, query: VaultAgentWalletBalanceQuery | None = None, **options: Unpack[Options]) -> WalletBalance:
        """Balance of an own agent's wallet at any instant, from its entries.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (NOT_AGENT_OWNER,
        OWNER_SUSPENDED); NotFoundError (AGENT_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/vault/wallets/{agentId}/balance", agent_id), "owner", options, query=query)

    def monthly_statement(self, month: str, **options: Unpack[Options]) -> MonthlyStatement:
        """Monthly statement (UTC) of the pool and wallets: opening balance, sums by cause, closing
        balance.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED);
        NotFoundError (STATEMENT_NOT_FOUND).
        """
        return self._http.json("GET", path("/api/v1/vault/statements/{month}", month), "owner", options)

    def export_monthly_statement(self, month: str, **options: Unpack[Options]) -> Iterator[bytes]:
        """The monthly statement as CSV.

        One line each for the opening balance, every cause and the closing balance of each account.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED);
        NotFoundError (STATEMENT_NOT_FOUND).
        """
        return self._http.chunks("GET", path("/api/v1/vault/statements/{month}/export", month), "owner", options, accept="text/csv")

    def revenue(self, query: VaultRevenueQuery | None = None, **options: Unpack[Options]) -> Revenue:
        """What the platform earned, by UTC day or month.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/vault/revenue", "operator", options, query=query)

    def list_findings(self, query: VaultListFindingsQuery | None = None, **options: Unpack[Options]) -> Page[Finding]:
        """Reconciliation findings, newest first.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.list("GET", "/api/v1/vault/reconciliation", "operator", options, query=query)

    def reconcile(self, **options: Unpack[Options]) -> Reconciliation:
        """Run a reconciliation now: recompute all balances and compare them with the payment
        processor.

        Charges, refunds and disputes that the processor never reported are booked and returned as
        `settled`. The server also runs it on a schedule (RECONCILE_EVERY_MS). A large ledger takes
        longer; nothing waits for the run.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); ConflictError (RECONCILIATION_IN_PROGRESS,
        IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/vault/reconciliation/run", "operator", options, extra_seconds=600)

    def clear_finding(self, finding_id: str, body: VaultClearFindingBody, **options: Unpack[Options]) -> Finding:
        """Clear a finding; it comes back only if the difference changes.

        Findings about a wallet are cleared with the flag of the wallet. Clearing
        `reversal_uncovered` cancels the debt that it names.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); NotFoundError (FINDING_NOT_FOUND);
        ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/vault/reconciliation/{findingId}/clear", finding_id), "operator", options, body=body)

    def clear_flag(self, agent_id: str, body: VaultClearFlagBody, **options: Unpack[Options]) -> WalletFlag:
        """Remove the flag from a wallet, so that withdrawals work again.

        Clears all open findings about the wallet. Each comes back only if its difference changes.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); NotFoundError (AGENT_NOT_FOUND);
        ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", path("/api/v1/vault/wallets/{agentId}/clear-flag", agent_id), "operator", options, body=body)
