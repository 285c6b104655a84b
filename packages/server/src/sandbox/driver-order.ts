import { type Sandbox, type SandboxDriver, SandboxError, type SandboxLimits, type SandboxStart } from './driver.ts';

/**
 * Several drivers; the first that works here is used. It is chosen when the first sandbox is needed, and then kept. If
 * an earlier one was passed over, the log says so, because operators may want to fix it.
 */
export class FirstThatRuns implements SandboxDriver {
  readonly #drivers: SandboxDriver[];
  #choice: Promise<SandboxDriver> | undefined;
  #chosen: SandboxDriver;

  constructor(drivers: [SandboxDriver, ...SandboxDriver[]]) {
    this.#drivers = drivers;
    this.#chosen = drivers[0];
  }

  get name(): SandboxDriver['name'] {
    return this.#chosen.name;
  }

  async probe(): ReturnType<SandboxDriver['probe']> {
    try {
      return await (await this.#choose()).probe();
    } catch (error) {
      return { available: false, reason: (error as Error).message };
    }
  }

  async create(id: string, limits: SandboxLimits, start?: SandboxStart): Promise<Sandbox> {
    return (await this.#choose()).create(id, limits, start);
  }

  /** Of all, for an earlier server may have had another choice. */
  async reclaim(): Promise<void> {
    for (const driver of this.#drivers) await driver.reclaim();
  }

  forget(): void {
    for (const driver of this.#drivers) driver.forget?.();
  }

  /** Nothing is settled while none runs, so that curing one needs no restart. */
  #choose(): Promise<SandboxDriver> {
    this.#choice ??= this.#findFirst().catch((error) => {
      this.#choice = undefined;
      throw error;
    });
    return this.#choice;
  }

  async #findFirst(): Promise<SandboxDriver> {
    const refusals: string[] = [];
    for (const driver of this.#drivers) {
      const result = await driver.probe();
      if (!result.available) {
        refusals.push(`${driver.name}: ${result.reason}`);
        continue;
      }
      if (refusals.length > 0) process.emitWarning(`Sandboxes are run by ${driver.name}. ${refusals.join(' ')}`);
      this.#chosen = driver;
      return driver;
    }
    throw new SandboxError('SANDBOX_UNAVAILABLE', refusals.join(' '));
  }
}
