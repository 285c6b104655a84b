import { type Route, route } from '../../platform/index.ts';
import type { GuardedDeps } from './calls.ts';
import {
  addPaymentMethod,
  listPaymentMethods,
  openPaymentMethodPage,
  removePaymentMethod,
  setDefaultPaymentMethod,
  setUpPaymentMethod,
} from './payment-methods.ts';
import { refundTopUp } from './refunds.ts';
import { topUp } from './top-up.ts';
import { processorWebhook } from './webhook.ts';

export const paymentRoutes = (deps: GuardedDeps): Route[] => [
  route('vault.topUp', (call) => topUp(deps, call)),
  route('vault.refundTopUp', ({ params, body, claim }) => refundTopUp(deps, { ...params, ...body, claim })),
  route('vault.listPaymentMethods', (call) => listPaymentMethods(deps, call)),
  route('vault.addPaymentMethod', (call) => addPaymentMethod(deps, call)),
  route('vault.setUpPaymentMethod', (call) => setUpPaymentMethod(deps, call)),
  route('vault.openPaymentMethodPage', (call) => openPaymentMethodPage(deps, call)),
  route('vault.removePaymentMethod', (call) => removePaymentMethod(deps, call)),
  route('vault.setDefaultPaymentMethod', (call) => setDefaultPaymentMethod(call)),
  route('vault.processorWebhook', (call) => processorWebhook(deps, call)),
];
