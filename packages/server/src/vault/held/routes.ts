import { type Pool, type Route, route } from '../../platform/index.ts';
import { decideHeldPayment, heldPage } from './held-payments.ts';

/** The operator decides on payments over a limit. */
export const heldRoutes = ({ pool }: { pool: Pool }): Route[] => [
  route('vault.listHeldPayments', (call) => heldPage(pool, call)),
  route('vault.releaseHeldPayment', ({ tx, params, body, now: at, correlationId }) =>
    decideHeldPayment(tx, 'released', { ...params, ...body, at, correlationId }),
  ),
  route('vault.refuseHeldPayment', ({ tx, params, body, now: at, correlationId }) =>
    decideHeldPayment(tx, 'refused', { ...params, ...body, at, correlationId }),
  ),
];
