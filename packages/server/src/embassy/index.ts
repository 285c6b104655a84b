import { type Clock, type Hub, hasCome, type Job, type Pool, type Route, route } from '../platform/index.ts';
import { denyApproval, expireApprovals } from './approvals/decide.ts';
import { getApproval, listApprovals } from './approvals/read.ts';
import { exportAudit, listAudit } from './audit.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { followHours, listPolicies, setAgentPolicy, setOwnerPolicy } from './policies/policies.ts';
import { unchecked } from './policies/sql.ts';

export { requirePending } from './approvals/decide.ts';
export { type ApprovalItem, requestApprovalStep } from './approvals/request.ts';
export { findApproval, stillPending } from './approvals/sql.ts';
export { approvalView } from './approvals/view.ts';
export { createDeprecations } from './deprecations/index.ts';
export { eraseOversight, forgetRequests } from './erase.ts';
export { notificationJobs } from './notifications/jobs.ts';
export { countUnread } from './notifications/sql.ts';
export { toldTopic } from './notifications/told.ts';
export {
  approvalLimit,
  type BuyersPolicies,
  blockedAgent,
  blockedBy,
  brokenRule,
  type Denial,
  mayTake,
  policyDenied,
} from './policies/rules.ts';
export { buyersPolicies, defaultAnswerFor, isBarred, rulesOf } from './policies/sql.ts';

/** `embassy.approve` submits a task, so the district of tasks has its rule. */
export const embassyRoutes = ({ pool, hub }: { pool: Pool; hub: Hub }): Route[] => [
  route('embassy.listApprovals', (call) => listApprovals(pool, call)),
  route('embassy.getApproval', (call) => getApproval(pool, call)),
  route('embassy.deny', denyApproval),
  route('embassy.listPolicies', (call) => listPolicies(pool, call)),
  route('embassy.setOwnerPolicy', setOwnerPolicy),
  route('embassy.setPolicy', setAgentPolicy),
  route('embassy.audit', (call) => listAudit(pool, call)),
  route('embassy.exportAudit', (call) => exportAudit(pool, call)),
  ...notificationRoutes({ pool, hub }),
];

export const embassyJobs = ({ pool, clock }: { pool: Pool; clock: Clock }): Job[] => [
  {
    name: 'embassy.expireApprovals',
    due: hasCome('expires_at', "approvals where status = 'pending'"),
    run: () => expireApprovals(pool, clock.now()),
  },
  { name: 'embassy.followHours', due: unchecked, run: () => followHours(pool, clock.now()) },
];
