import type { SandboxDriver, SandboxProbe } from './driver.ts';

/** State of this machine's sandboxes, for people. */
export interface SandboxState {
  driver: string;
  available: boolean;
  /** On one line: how limits are kept and which Node is used, or why no sandbox runs, with the cure. */
  detail: string;
  /** Whether the operator should do something about it. */
  isWorthAWarning: boolean;
}

/**
 * A refusal is repeated for this time before the driver is asked again, because anybody may ask as often as they like.
 */
const refusedForMs = 5_000;

/** Asks the driver once, for a probe starts a sandbox; where none runs it is asked again, so that a cure shows. */
export function sandboxState(driver: SandboxDriver, clock: { now(): Date }): () => Promise<SandboxState> {
  let asked: Promise<SandboxProbe> | null = null;
  let askAgainAt = Infinity;
  return async () => {
    if (clock.now().getTime() >= askAgainAt) asked = null;
    if (asked === null) {
      askAgainAt = Infinity;
      asked = driver.probe().then((probe) => {
        if (!probe.available) askAgainAt = clock.now().getTime() + refusedForMs;
        return probe;
      });
    }
    return { driver: driver.name, ...judged(await asked) };
  };
}

function judged(probe: SandboxProbe): Omit<SandboxState, 'driver'> {
  if (!probe.available) return { available: false, detail: probe.reason, isWorthAWarning: true };
  const { limits, notes } = probe.enforcement;
  const kept = `limits ${limits}${notes.length > 0 ? `: ${notes.join('. ')}.` : ','}`;
  return {
    available: true,
    detail: `${kept} ${probe.node === null ? noNode : `Node ${probe.node}`}`,
    isWorthAWarning: limits === 'degraded' || probe.node === null,
  };
}

const noNode =
  'no Node: tasks and checks that need it will fail. Cure: install Node under /usr, or name a container image that has it';
