import type { HostileCase } from '../hostile-case.ts';
import { exchangeCases } from './exchange.ts';
import { forgeCases } from './forges.ts';
import { gateCases } from './gate.ts';
import { httpCases } from './http.ts';
import { inputCases } from './inputs.ts';
import { partyCases } from './parties.ts';
import { reputationCases } from './reputation.ts';
import { sandboxCases } from './sandbox.ts';
import { liveCases } from './sandbox-live.ts';
import { taskCases } from './tasks.ts';
import { webhookCases } from './webhooks.ts';
import { wholeCases } from './whole.ts';

export const allCases: HostileCase[] = [
  ...gateCases,
  ...httpCases,
  ...inputCases,
  ...taskCases,
  ...partyCases,
  ...exchangeCases,
  ...reputationCases,
  ...sandboxCases,
  ...liveCases,
  ...webhookCases,
  ...forgeCases,
  ...wholeCases,
];
