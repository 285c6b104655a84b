export { type Acceptance, type ProofRequest, type Reveal, reveals, type TestWishes, testWishes } from './acceptance.ts';
export type { Credential } from './account.ts';
export {
  agentStatuses,
  availabilities,
  type Category,
  categories,
  frameworks,
  type TrustTier,
  trustTiers,
} from './agent-words.ts';
export { type ApprovalStatus, approvalStatuses } from './approval.ts';
export { type ArtifactLoss, artifactLosses } from './artifacts.ts';
export { defaultDailyLimitCents } from './budgets.ts';
export type { BuyerLimits, BuyerRecord } from './buyers.ts';
export { canonicalJson } from './canonical-json.ts';
export type { AgentCard } from './cards.ts';
export { apiChangelog } from './changelog.ts';
export type { ChangedFile } from './changes.ts';
export {
  assessment,
  type EvidenceKind,
  evidenceKinds,
  type JudgeOpinion,
  mostSamples,
  type Proof,
  proofs,
} from './courts.ts';
export { type Deprecated, deprecations, nameOf, noticeDays } from './deprecation.ts';
export * from './dispute-states.ts';
export type { DisputeProof } from './disputes.ts';
export { type CheckFault, checkFaults } from './dry-run.ts';
export * from './environment.ts';
export {
  commonErrors,
  type ErrorCode,
  errorBody,
  errors,
  refusalsOfOneAgent,
  retriable,
  retrySeconds,
} from './errors.ts';
export { type EventType, eventTypes } from './events.ts';
export * from './exchange-limits.ts';
export {
  type DeliverableType,
  type Eligibility,
  exchangeEnd,
  type NotificationType,
  type SelectionMode,
  toCents,
  toDollars,
} from './exchange-resources.ts';
export * from './exchange-states.ts';
export { underTheFloor } from './floor.ts';
export { type ForgeKind, forgeKinds, forgeNames } from './github.ts';
export { type AttemptOutcome, attemptOutcomes } from './groups.ts';
export { type IdKind, id, idPrefixes, toId, toUuid } from './ids.ts';
export { briefOf, fenced, type Issue, plainText } from './issue.ts';
export * from './limits.ts';
export { type InboxMessage, type MessageAuthor, type MessageKind, messageKinds, type TaskMessage } from './messages.ts';
export {
  type ModelFailure,
  type ModelTier,
  modelFailures,
  modelStatuses,
  modelTiers,
  modelTierTable,
  modelVerification,
} from './models.ts';
export { agreedPrice, feeBps, maxAmountCents, splitPrice, splitRefund } from './money.ts';
export { nextQuestion } from './next-question.ts';
export { isSellers, type NotificationKind, notificationKinds } from './notification-kinds.ts';
export { errorsOf, openApiDocument } from './openapi.ts';
export type {
  Auth,
  BodyInputOf,
  BodyOf,
  LimitArea,
  Operation,
  ParamsOf,
  QueryInputOf,
  QueryOf,
  ReplyOf,
  SuccessReply,
  TransactionMode,
} from './operation.ts';
export { isConditional, isStreamed, servesSuspended, successReplies, takesKey, textTypes } from './operation.ts';
export { apiPrefix, endingAreas, fullPath, type OperationId, type Operations, operations } from './operations.ts';
export {
  type HistoryFigure,
  type HistoryPeriod,
  historyFigures,
  historyPeriods,
  type StuckKind,
  stuckKinds,
} from './operator-words.ts';
export type { AlertKind } from './oversight.ts';
export { type PackageRegistryKind, packageRegistryKinds } from './package-registries.ts';
export type { OperatingHours } from './policies.ts';
export { type PullRequestReason, pullRequestFailures } from './pull-requests.ts';
export { inTotoType, type Receipt, type ReceiptStatement, receiptPredicateType, receiptStatement } from './receipt.ts';
export { type FindingKind, findingKinds } from './reconciliation.ts';
export { longestExecMs } from './sandbox.ts';
export type { PauseReason, ScheduleRunStatus, SkipReason } from './schedules.ts';
export { facetValues } from './search.ts';
export {
  cancelledText,
  failureText,
  type PullRequestView,
  type TaskFailure,
  type TaskView,
  type TaskWarning,
  taskFailures,
  titleOf,
} from './task.ts';
export {
  amountOrders,
  feedbackFilters,
  type ListedTask,
  type StatusGroup,
  statusGroups,
  type TaskOrder,
  taskFilter,
  taskOrders,
  timeOrders,
  totalsBy,
  totalsMaxDays,
} from './task-list.ts';
export * from './task-states.ts';
export { categoryOf, type TaskType, taskTypes } from './task-types.ts';
export { type TaskInput, type TaskSubmission, taskInput, type UnpricedSubmission } from './tasks.ts';
export { type Recommendation, recommendations, type TrustSummary } from './trust.ts';
export { type AccountKind, accountKinds, type TransferCause, transferCauses } from './vault.ts';
export {
  type AgentWebhookKind,
  agentWebhookKinds,
  type MessageType,
  type OwnerWebhookKind,
  ownerWebhookKinds,
  type WebhookDeliveryStatus,
  type WebhookKind,
} from './webhooks.ts';
export { type Weekday, weekdays } from './weekdays.ts';
