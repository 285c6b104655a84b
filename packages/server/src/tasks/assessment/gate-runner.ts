import type { GateAdditions } from '../../gate/index.ts';
import type { GateRunner } from '../deps.ts';
import { createRunAgain, createRunProof } from './run-again.ts';
import { createRunGate, type GateDeps } from './run-gate.ts';

/** How tasks are judged: when they are delivered, and again where a verdict is disputed or appealed. */
export const createGateRunner = (
  deps: GateDeps,
  additions: GateAdditions = {},
): GateRunner & { idle(): Promise<void> } => ({
  ...createRunGate(deps, additions),
  again: createRunAgain(deps, additions),
  prove: createRunProof(deps),
});
