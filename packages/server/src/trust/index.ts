export { endKeys, eraseKeys } from './erase.ts';
export { createTrustAuthentication } from './keys.ts';
export { createQuota, type Quota } from './quota.ts';
export { trustRoutes } from './routes.ts';
export { summaryLoader } from './summary.ts';
