import type { HostileCase } from '../hostile-case.ts';
import { gateCases } from './gate.ts';
import { httpCases } from './http.ts';
import { sandboxCases } from './sandbox.ts';

export const allCases: HostileCase[] = [...gateCases, ...httpCases, ...sandboxCases];
