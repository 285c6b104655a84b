/**
 * The platform could not gather the evidence (no sandbox, no worker). Nothing was found out about the
 * delivery, so the caller keeps the task in quality_check and runs the gate again later.
 */
export class GateUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'GateUnavailable';
  }
}

/** The delivered work cannot be laid into a sandbox at all (too large); the agent's fault, so evidence. */
export class WorkspaceRefused extends Error {}

/** What a party wrote could not be read within time and memory. How so is said, as `takes too long`. */
export class Unreadable extends WorkspaceRefused {
  readonly how: string;
  constructor(how: string) {
    super(`reading what was delivered ${how}`);
    this.how = how;
  }
}
