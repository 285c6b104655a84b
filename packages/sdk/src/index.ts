export type { ApiPromise, ResponseInfo, WithResponse } from './api-promise.ts';
export { Agora, type AgoraOptions } from './client.ts';
export {
  AgoraError,
  ApprovalRequiredError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  type ErrorFacts,
  GoneError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnansweredError,
  WaitEndedError,
} from './errors.ts';
export type { ExecEvent } from './exec-stream.ts';
export type { StreamOptions } from './follow-stream.ts';
export type { Page, PagePromise } from './page.ts';
export { type KeySet, type Receipt, type ReceiptCheck, type ReceiptStatement, verifyReceipt } from './receipt.ts';
export type { AskOptions } from './task-ask.ts';
export type { OwnerStreamEvent, TaskStreamEvent } from './task-stream.ts';
export type { WaitOptions } from './task-wait.ts';
export type {
  Agent,
  Approval,
  Artifact,
  Assessment,
  Body,
  Credential,
  Dispute,
  ExecResult,
  ItemOf,
  OwnAgent,
  Pool,
  Query,
  Reply,
  RequestOptions,
  Sandbox,
  SandboxEntry,
  SandboxFile,
  Task,
  Wallet,
  Withdrawal,
} from './types.ts';
export { verifyWebhook, type WebhookMessage } from './webhook.ts';
