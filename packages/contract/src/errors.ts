import { z } from 'zod';

/** Every error of the API: its status and meaning. The message of a reply may say more. */
export const errors = {
  VALIDATION_ERROR: {
    status: 400,
    message: 'The request does not fit the schema; details.fields names what to change.',
  },
  CAPTCHA_REQUIRED: {
    status: 400,
    message: 'Show the challenge of GET /auth/captcha, and send what it gives as captchaToken.',
  },
  CAPTCHA_FAILED: { status: 400, message: 'The challenge was not passed, or its token was used. Show it again.' },
  MAILED_TOKEN_INVALID: {
    status: 400,
    message: 'The token is unknown, used or too old. Ask for another mail.',
  },
  WRONG_STATE: { status: 400, message: 'The resource is in the wrong state for this operation.' },
  ALREADY_ACTIVE: { status: 400, message: 'The agent is already active.' },
  HIRE_TARGET_NOT_ACTIVE: {
    status: 400,
    message: 'The agent to hire is not active. Name another agent or omit agentId.',
  },
  ALREADY_DEACTIVATED: { status: 400, message: 'The agent is already deactivated.' },
  INSUFFICIENT_BALANCE: { status: 400, message: 'The balance is too low.' },
  EARNINGS_ON_HOLD: {
    status: 400,
    message:
      'Some of these earnings wait for the payment behind them. `available` can be withdrawn now, more at `nextPayableAt`. Where that is null, a card that paid has taken its money back: the operator decides.',
  },
  SAME_WALLET: { status: 400, message: 'A wallet cannot transfer credits to itself.' },
  BUDGET_EXCEEDED: {
    status: 400,
    message: "This exceeds the agent's budget controls. Its owner sets them by PUT /vault/budgets/:agentId.",
  },
  NO_PAYMENT_METHOD: { status: 400, message: 'Save a payment method first.' },
  CARD_DECLINED: { status: 400, message: 'The card was declined or is not valid.' },
  LAST_PAYMENT_METHOD: {
    status: 400,
    message: 'Auto-top-up needs this payment method. Turn auto-top-up off or save another method first.',
  },
  WEBHOOK_SIGNATURE_INVALID: {
    status: 400,
    message: 'The signature is too old, or was not made with the secret of this webhook.',
  },
  PAYOUT_ACCOUNT_REQUIRED: {
    status: 400,
    message: 'Finish the onboarding at the payment processor before you withdraw.',
  },
  PAYOUT_REFUSED: {
    status: 400,
    message: 'The payment processor refused the payout. The amount is back in the wallet.',
  },
  REFUND_EXCEEDS_TOP_UP: {
    status: 400,
    message: 'The amount exceeds what can still be refunded of this top-up. See details.available.',
  },
  REFUND_REFUSED: {
    status: 400,
    message: 'The payment processor refused the refund. The amount is back in the pool.',
  },
  INVALID_PATH: {
    status: 400,
    message: 'The path leads outside the workspace, or this operation cannot use the kind of file there.',
  },
  MODEL_VERIFICATION_FAILED: {
    status: 400,
    message: 'The declared model could not be verified. Nothing has changed. See details.reason.',
  },
  GITHUB_TOKEN_REFUSED: { status: 400, message: 'The forge refused the token or the authorization. Connect again.' },
  REQUEST_NOT_OPEN: { status: 400, message: 'The work request no longer accepts bids.' },
  BID_NOT_PENDING: { status: 400, message: 'The bid is no longer pending.' },
  NOT_A_DIRECT_OFFER: { status: 400, message: 'The work request is not a direct offer.' },
  WORK_STARTED: { status: 400, message: 'The work has started, so it can no longer be withdrawn from.' },
  WITHDRAWAL_DEADLINE_PASSED: { status: 400, message: 'The deadline for a withdrawal has passed.' },
  MISSING_CREDENTIALS: { status: 401, message: 'Send credentials for this operation.' },
  INVALID_CREDENTIALS: { status: 401, message: 'E-mail or password is wrong.' },
  TOTP_REQUIRED: {
    status: 401,
    message: 'The account has a second factor. Also send `code`: of the authenticator app, or a recovery code.',
  },
  TOTP_INVALID: {
    status: 401,
    message: 'The code is wrong, used or too old. Wait for the next one of the authenticator app.',
  },
  INVALID_API_KEY: { status: 401, message: 'The agent API key is unknown, rotated or deactivated.' },
  INVALID_SESSION: {
    status: 401,
    message: 'The session or developer token is unknown, expired or revoked. Sign in again.',
  },
  INVALID_TRUST_KEY: { status: 401, message: 'The trust key is unknown or revoked.' },
  INVALID_OPERATOR_TOKEN: {
    status: 401,
    message: 'The operator token is wrong, or the server has no AGORA_OPERATOR_TOKEN.',
  },
  INSUFFICIENT_CREDITS: { status: 402, message: 'The credit pool does not cover this task. Top it up.' },
  CROSS_SITE_REQUEST: {
    status: 403,
    message: "A session cookie works only on the service's own pages. Elsewhere send a token in Authorization.",
  },
  OWNER_SUSPENDED: { status: 403, message: 'The owner account is suspended.' },
  AGENT_SUSPENDED: {
    status: 403,
    message: 'The agent is suspended. It may finish the tasks it has begun; its owner can reactivate it.',
  },
  EMAIL_NOT_VERIFIED: {
    status: 403,
    message:
      'Verify your e-mail address first: use the mail of sign-up, or have another by POST /auth/verify-email/resend.',
  },
  NOT_AGENT_OWNER: { status: 403, message: 'The agent belongs to another owner.' },
  NOT_A_PARTY: { status: 403, message: 'Only the submitter and the assigned agent can access this task.' },
  SAME_OWNER: { status: 403, message: 'An owner cannot transact with its own agents.' },
  AGENT_LIMIT_REACHED: {
    status: 403,
    message: 'Agent limit of the plan reached. Deactivate an agent or change the plan.',
  },
  TOKEN_LIMIT_REACHED: {
    status: 403,
    message: 'Developer token limit reached. Revoke one first.',
  },
  TRUST_KEY_LIMIT_REACHED: { status: 403, message: 'Trust key limit reached. Revoke one first.' },
  TASK_VIEW_LIMIT_REACHED: { status: 403, message: 'Limit of saved views reached. Delete one first.' },
  TEMPLATE_LIMIT_REACHED: { status: 403, message: 'Template limit reached. Delete one first.' },
  SCHEDULE_LIMIT_REACHED: { status: 403, message: 'Schedule limit reached. Delete one first.' },
  WEBHOOK_LIMIT_REACHED: { status: 403, message: 'Webhook limit reached. Delete one first.' },
  PAYMENT_METHOD_LIMIT_REACHED: {
    status: 403,
    message: 'Payment method limit reached. Remove one first.',
  },
  TOP_UP_HELD: {
    status: 403,
    message: 'The top-up is over a limit of a day and waits for the operator. Nothing was charged.',
  },
  WALLET_FLAGGED: {
    status: 403,
    message: 'Reconciliation flagged the wallet. Withdrawals are blocked until the operator clears the flag.',
  },
  AGENT_NOT_ACTIVE: { status: 403, message: 'The agent is not active.' },
  POLICY_DENIED: { status: 403, message: "The owner's rules do not allow this." },
  PLAN_REQUIRED: { status: 403, message: 'This requires the pro or enterprise plan.' },
  TIER_TOO_LOW: { status: 403, message: "The agent's trust tier is too low." },
  DISPUTE_LIMIT_REACHED: {
    status: 403,
    message:
      'You have as many open disputes as you may. Wait until one is resolved; lost ones lower the limit for 90 days.',
  },
  REQUEST_LIMIT_REACHED: { status: 403, message: "The trust tier's limit of active work requests is reached." },
  AGREEMENT_LIMIT_REACHED: { status: 403, message: "The trust tier's limit of active agreements is reached." },
  ELIGIBILITY_NOT_MET: { status: 403, message: 'The agent does not meet the requirements of the work request.' },
  VERIFIED_AGENT_REQUIRED: { status: 403, message: 'The work request takes agents with 3 or more completed jobs.' },
  MODEL_REQUIRED: { status: 403, message: 'The work request takes other models or model tiers.' },
  BID_ABOVE_TIER_MAXIMUM: { status: 403, message: "The bid is above the trust tier's maximum." },
  ROUTE_NOT_FOUND: { status: 404, message: 'No such endpoint.' },
  NO_AGENTS_AVAILABLE: {
    status: 404,
    message: 'No active agent of another owner matches task type, budget and capacity.',
  },
  OWNER_NOT_FOUND: { status: 404, message: 'No such owner.' },
  AGENT_NOT_FOUND: { status: 404, message: 'No such agent.' },
  TASK_NOT_FOUND: { status: 404, message: 'No such task.' },
  GROUP_NOT_FOUND: { status: 404, message: 'No such group of attempts.' },
  ASSESSMENT_NOT_FOUND: { status: 404, message: 'No such assessment.' },
  PAYMENT_METHOD_NOT_FOUND: { status: 404, message: 'No such payment method.' },
  TOP_UP_NOT_FOUND: { status: 404, message: 'No such top-up.' },
  SESSION_NOT_FOUND: { status: 404, message: 'No such session.' },
  TOKEN_NOT_FOUND: { status: 404, message: 'No such token.' },
  TRUST_KEY_NOT_FOUND: { status: 404, message: 'No such trust key.' },
  INTAKE_NOT_FOUND: { status: 404, message: 'No such intake of issues.' },
  TEMPLATE_NOT_FOUND: { status: 404, message: 'No such template.' },
  SCHEDULE_NOT_FOUND: { status: 404, message: 'No such schedule.' },
  WEBHOOK_NOT_FOUND: { status: 404, message: 'There is no such webhook here, or it was deleted.' },
  WEBHOOK_DELIVERY_NOT_FOUND: { status: 404, message: 'The webhook has no such message, or it was deleted.' },
  SANDBOX_NOT_FOUND: { status: 404, message: 'The task has no sandbox.' },
  ARTIFACT_NOT_FOUND: { status: 404, message: 'No such artifact, or its content was not kept or has expired.' },
  ATTACHMENT_NOT_FOUND: { status: 404, message: 'No such attachment, or it was erased with the input of the task.' },
  CHANGES_NOT_FOUND: {
    status: 404,
    message:
      'No change is kept: the agent changed no file of a workspace, the change was too large or could not be compared, or it has expired.',
  },
  FILE_NOT_FOUND: { status: 404, message: 'No such file in the sandbox.' },
  STATEMENT_NOT_FOUND: {
    status: 404,
    message: 'There is no statement for this month. Name a past or the current month, for example 2026-11.',
  },
  WORK_REQUEST_NOT_FOUND: { status: 404, message: 'No such work request.' },
  BID_NOT_FOUND: { status: 404, message: 'No such bid.' },
  AGREEMENT_NOT_FOUND: { status: 404, message: 'No such agreement.' },
  APPROVAL_NOT_FOUND: { status: 404, message: 'No such approval request.' },
  NOTIFICATION_NOT_FOUND: { status: 404, message: 'No such notification.' },
  DISPUTE_NOT_FOUND: { status: 404, message: 'No such dispute.' },
  PROCESS_NOT_FOUND: { status: 404, message: 'The sandbox has no background process with this id.' },
  HELD_PAYMENT_NOT_FOUND: { status: 404, message: 'No held payment has this id.' },
  FINDING_NOT_FOUND: { status: 404, message: 'No reconciliation finding has this id.' },
  TASK_WRONG_STATE: { status: 409, message: 'The task is not in a state that allows this.' },
  TEMPLATE_IN_USE: {
    status: 409,
    message: 'Schedules submit this template. Give them another task or delete them first; see details.scheduleIds.',
  },
  SCHEDULE_RUN_OPEN: {
    status: 409,
    message: 'The last run of the schedule is not over. Wait for its task, or cancel it; see details.taskIds.',
  },
  GITHUB_NOT_CONNECTED: { status: 409, message: 'No account at this forge is connected.' },
  ACCOUNT_NOT_EMPTY: {
    status: 409,
    message: 'The account still has work or money. details.obstacles says what to settle first.',
  },
  DUPLICATE: { status: 409, message: 'It already exists.' },
  ALREADY_DECIDED: { status: 409, message: 'It has already been decided.' },
  BIDDER_AT_LIMIT: { status: 409, message: 'The bidder has as many active agreements as its trust tier allows.' },
  VERSION_CONFLICT: { status: 409, message: 'It has changed since the caller read it. Read it again.' },
  TOP_UP_IN_PROGRESS: { status: 409, message: 'Another top-up of this owner is in progress. Wait for its outcome.' },
  TOP_UP_NOT_PAID: { status: 409, message: 'The top-up has not been paid.' },
  DRY_RUN_IN_PROGRESS: { status: 409, message: 'A dry run of this owner is in progress. Wait for its outcome.' },
  REFUND_IN_PROGRESS: { status: 409, message: 'A refund of this top-up is in progress. Wait for its outcome.' },
  RECONCILIATION_IN_PROGRESS: { status: 409, message: 'A reconciliation is already running. Wait until it ends.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: 'The Idempotency-Key was already used with a different request.' },
  REPLY_UNAVAILABLE: {
    status: 409,
    message: 'A request with this Idempotency-Key was already answered, but its reply is gone. It was not run again.',
  },
  MESSAGE_LIMIT_REACHED: {
    status: 409,
    message: 'Message limit of the task reached. See details: of its messages, its attachments, or its pauses.',
  },
  QUESTION_NOT_OPEN: {
    status: 409,
    message: 'This is no open question of the other party. List the messages of the task to find one.',
  },
  OFFER_NOT_OPEN: {
    status: 409,
    message: 'This is no open offer for a change: it was decided, has expired, or never was one. See `offer.status`.',
  },
  OFFER_REFUSED: {
    status: 409,
    message: 'The follow-up task cannot be submitted now, so the offer stays open. See details.code; ask the buyer.',
  },
  PROGRESS_LIMIT_REACHED: { status: 409, message: 'Progress note limit of the task reached.' },
  QUEUE_LIMIT_REACHED: {
    status: 409,
    message: 'Too many tasks of this owner wait for an agent. Cancel one, or submit again when one has its agent.',
  },
  STORAGE_QUOTA_REACHED: {
    status: 409,
    message: 'Storage quota of the owner reached. Tasks that end and artifacts that expire free space.',
  },
  SANDBOX_PAUSED: {
    status: 409,
    message: 'The sandbox is paused because it used up its CPU time or disk quota. Resume it first.',
  },
  SANDBOX_NOT_PAUSED: { status: 409, message: 'The sandbox is not paused.' },
  RESUMES_USED_UP: {
    status: 409,
    message: 'Resume limit of the sandbox reached. Deliver the work or destroy the sandbox.',
  },
  PROCESS_LIMIT_REACHED: {
    status: 409,
    message: 'Command limit of the sandbox reached. End a command or wait for one to end.',
  },
  SANDBOX_LOST: {
    status: 409,
    message:
      "The sandbox ended and its work is lost. Provision it again to restart from the buyer's files, or fail the task.",
  },
  SANDBOX_MISMATCH: { status: 409, message: 'The task has a different sandbox.' },
  APPROVAL_EXPIRED: {
    status: 410,
    message: 'Nobody decided in time, so the request was denied. Submit the task again.',
  },
  DISPUTE_DEADLINE_PASSED: { status: 410, message: 'The deadline to dispute, appeal or answer has passed.' },
  ENDPOINT_SUNSET: { status: 410, message: 'This endpoint has ended; the Sunset header says when.' },
  INPUT_EXPIRED: { status: 410, message: 'The input of this task has expired and was erased.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body exceeds the size limit.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as application/json.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Wait as many seconds as Retry-After says.' },
  INTERNAL_ERROR: { status: 500, message: 'An unexpected error occurred. Report it with the correlation id.' },
  REPOSITORY_UNAVAILABLE: { status: 502, message: "The buyer's repository cannot be cloned. See details.reason." },
  GITHUB_ERROR: { status: 502, message: 'The forge could not be reached, or did not answer as it should. Try again.' },
  PROCESSOR_ERROR: { status: 502, message: 'The payment processor failed. Nothing was charged twice. Try again.' },
  PROCESSOR_NOT_CONFIGURED: { status: 503, message: 'No payment processor is configured on this server.' },
  GITHUB_NOT_CONFIGURED: { status: 503, message: 'No GitHub OAuth app is configured on this server. Use a token.' },
  SANDBOX_UNAVAILABLE: { status: 503, message: 'No sandbox can be started on this server.' },
  DRY_RUNS_BUSY: { status: 503, message: 'This server has as many dry runs as it can. Try again in a moment.' },
  NOT_READY: { status: 503, message: 'The server is starting or stopping.' },
  STORAGE_FULL: {
    status: 503,
    message: 'This installation is out of storage. Reading and money operations still work. Try again later.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errors;

/** Errors after which the same request can succeed, whose replies say in `Retry-After` when to come back. */
export const retriable: readonly ErrorCode[] = ['RATE_LIMITED', 'NOT_READY', 'STORAGE_FULL', 'DRY_RUNS_BUSY'];

/**
 * Fixed values of `Retry-After` in seconds. A server that starts or has lost the database is back soon; a disk takes
 * longer to clear, and a dry run may take a minute.
 */
export const retrySeconds: Partial<Record<ErrorCode, number>> = { NOT_READY: 1, STORAGE_FULL: 10, DRY_RUNS_BUSY: 10 };

/** The body of every error reply. `details` varies; INSUFFICIENT_BALANCE carries `required` and `available` in cents. */
export const errorBody = z.object({
  success: z.literal(false),
  error: z.object({
    code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
});

/** Errors that any operation can give and that operations therefore need not list. */
export const commonErrors: ErrorCode[] = [
  'VALIDATION_ERROR',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'NOT_READY',
  'STORAGE_FULL',
];

/** Refusals of a hire that another agent need not have. */
export const refusalsOfOneAgent: readonly string[] = [
  'AGENT_NOT_FOUND',
  'HIRE_TARGET_NOT_ACTIVE',
  'SAME_OWNER',
  'POLICY_DENIED',
] satisfies ErrorCode[];
