import { type Pool, type Route, route } from '../../platform/index.ts';
import { decide, heldPage, heldView } from './held-payments.ts';

/** The operator decides on payments over a limit. */
export const heldRoutes = ({ pool }: { pool: Pool }): Route[] => [
  route('vault.listHeldPayments', (call) => heldPage(pool, call)),
  route('vault.releaseHeldPayment', async ({ tx, params, body, now: at, correlationId }) =>
    heldView(await decide(tx, 'released', { ...params, ...body, at, correlationId })),
  ),
  route('vault.refuseHeldPayment', async ({ tx, params, body, now: at, correlationId }) =>
    heldView(await decide(tx, 'refused', { ...params, ...body, at, correlationId })),
  ),
];
