import type { SandboxDriver, SandboxProbe } from './driver.ts';

/** What people are told of the sandboxes of this machine. */
export interface SandboxState {
  driver: string;
  available: boolean;
  /** On one line: how limits are kept and which Node there is, or why none runs; what is missing, with its cure. */
  detail: string;
  /** Whether the operator should do something about it. */
  isWorthAWarning: boolean;
}

/** Asks the driver once, for a probe starts a sandbox; where none runs it is asked again, so that a cure shows. */
export function sandboxState(driver: SandboxDriver): () => Promise<SandboxState> {
  let asked: Promise<SandboxProbe> | null = null;
  return async () => {
    asked ??= driver.probe();
    const probe = await asked;
    if (!probe.available) asked = null;
    return { driver: driver.name, ...judged(probe) };
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
