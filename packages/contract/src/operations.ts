import { approvalOperations } from './approvals.ts';
import { artifactOperations } from './artifacts.ts';
import { assignmentOperations } from './assignments.ts';
import { authOperations } from './auth.ts';
import { bundleOperations } from './bundles.ts';
import { cardOperations } from './cards.ts';
import { changeOperations } from './changes.ts';
import { courtsOperations } from './courts.ts';
import { disputeOperations } from './disputes.ts';
import { dryRunOperations } from './dry-run.ts';
import { environmentOperations } from './environment.ts';
import { exchangeOperations } from './exchange.ts';
import { exchangeEnd } from './exchange-resources.ts';
import { githubOperations } from './github.ts';
import { groupOperations } from './groups.ts';
import { intakeOperations } from './intakes.ts';
import { messageOperations } from './messages.ts';
import { modelOperations } from './model-verification.ts';
import { notificationOperations } from './notifications.ts';
import type { Operation } from './operation.ts';
import { operatorOperations } from './operator.ts';
import { oversightOperations } from './oversight.ts';
import { packageRegistryOperations } from './package-registries.ts';
import { policyOperations } from './policies.ts';
import { progressOperations } from './progress.ts';
import { reconciliationOperations } from './reconciliation.ts';
import { registryOperations } from './registry.ts';
import { reputationOperations } from './reputation.ts';
import { routingOperations } from './routing.ts';
import { sandboxOperations } from './sandbox.ts';
import { scheduleOperations } from './schedules.ts';
import { searchOperations } from './search.ts';
import { statementOperations } from './statements.ts';
import { systemOperations } from './system.ts';
import { taskListOperations } from './task-list.ts';
import { taskOperations } from './tasks.ts';
import { templateOperations } from './templates.ts';
import { trustOperations } from './trust.ts';
import { vaultOperations } from './vault.ts';
import { webhookOperations } from './webhooks.ts';

/** Every operation of the service by id. */
export const operations = {
  ...systemOperations,
  ...environmentOperations,
  ...authOperations,
  ...registryOperations,
  ...reputationOperations,
  ...searchOperations,
  ...modelOperations,
  ...vaultOperations,
  ...statementOperations,
  ...reconciliationOperations,
  ...taskOperations,
  ...taskListOperations,
  ...templateOperations,
  ...scheduleOperations,
  ...dryRunOperations,
  ...bundleOperations,
  ...progressOperations,
  ...messageOperations,
  ...assignmentOperations,
  ...groupOperations,
  ...routingOperations,
  ...sandboxOperations,
  ...artifactOperations,
  ...changeOperations,
  ...courtsOperations,
  ...disputeOperations,
  ...trustOperations,
  ...cardOperations,
  ...approvalOperations,
  ...policyOperations,
  ...oversightOperations,
  ...notificationOperations,
  ...exchangeOperations,
  ...webhookOperations,
  ...githubOperations,
  ...intakeOperations,
  ...packageRegistryOperations,
  ...operatorOperations,
} as const satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type OperationId = keyof Operations;

/** Paths of the contract hang under this prefix, except those that a standard puts elsewhere. */
export const apiPrefix = '/api/v1';

/** Paths that end as a whole, whatever is below them, with what their operations say of it. */
export const endingAreas = [{ path: `${apiPrefix}/exchange`, deprecated: exchangeEnd }];

/** Where an operation is found, parameters as `:name`. */
export const fullPath = ({ root, path }: Operation): string => (root ? path : apiPrefix + path);
