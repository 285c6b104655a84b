import { type Route, route } from '../../platform/index.ts';
import { clearFinding, findingsPage, reconcileNow } from './findings.ts';
import { clearFlag } from './flags.ts';
import type { ReconciliationDeps } from './run.ts';

export function reconciliationRoutes(deps: ReconciliationDeps): Route[] {
  return [
    route('vault.listFindings', (call) => findingsPage(deps.pool, call)),
    route('vault.reconcile', (call) => reconcileNow(deps, call)),
    route('vault.clearFinding', clearFinding),
    route('vault.clearFlag', ({ tx, params, body, now, correlationId }) =>
      clearFlag(tx, { ...params, ...body, at: now, correlationId }),
    ),
  ];
}
