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
