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

/** The delivered work cannot be written into a sandbox (too large). This is the agent's fault, so it is evidence. */
export class WorkspaceRefused extends Error {}

/** A party's text could not be read within time and memory. The message says how, for example `takes too long`. */
export class Unreadable extends WorkspaceRefused {
  readonly how: string;
  constructor(how: string) {
    super(`reading what was delivered ${how}`);
    this.how = how;
  }
}
