import type { Sandbox } from '../../sandbox/index.ts';

/** A sandbox in which nothing of the delivery has run yet, and whether the delivered workspace lies in it. */
export interface Fresh {
  sandbox: Sandbox;
  laid: boolean;
}

/** The sandboxes of one gate run. While a command runs in one, the next is made ready. */
export interface Supply {
  /** With the delivered workspace in it where it is `wanted`, as far as one is ready; the caller lays it otherwise. */
  take(wanted: 'delivery' | 'empty'): Promise<Fresh>;
  /** For the next taker, when nothing of the delivery was run in it. */
  giveBack(fresh: Fresh): void;
  /** Ends what nobody took. */
  close(): Promise<void>;
}

interface Source {
  openSandbox(): Promise<Sandbox>;
  archive: Buffer | null;
  /** How many with the delivery in them are likely to be needed. */
  expected: number;
}

/** A sandbox that fails to end is left to the lifetime sweep; it must not change a verdict. */
export const end = (sandbox: Sandbox) => void sandbox.destroy().catch(() => undefined);

export function createSupply({ openSandbox, archive, expected }: Source): Supply {
  let ready: Promise<Fresh | null> | null = null;
  let likely = expected;

  async function makeReady(): Promise<Fresh | null> {
    const sandbox = await openSandbox();
    try {
      if (archive !== null) await sandbox.importWorkspace(archive);
      return { sandbox, laid: archive !== null };
    } catch {
      // Whoever comes next meets the same in a sandbox of its own, and says what it means.
      end(sandbox);
      return null;
    }
  }

  async function open(): Promise<Fresh> {
    try {
      return { sandbox: await openSandbox(), laid: false };
    } catch (error) {
      // The one that is kept ready may be in its place.
      const spare = await ready;
      ready = null;
      if (!spare) throw error;
      await spare.sandbox.destroy();
      return { sandbox: await openSandbox(), laid: false };
    }
  }

  async function takeReady(): Promise<Fresh | null> {
    const spare = ready;
    ready = null;
    return spare;
  }

  return {
    async take(wanted) {
      const suits = wanted === 'delivery' || archive === null;
      const fresh = (suits ? await takeReady() : null) ?? (await open());
      if (suits) likely -= 1;
      if (likely > 0) ready ??= makeReady().catch(() => null);
      return fresh;
    },
    giveBack(fresh) {
      const spare = ready;
      ready = Promise.resolve(fresh);
      likely += 1;
      // Another one is being made ready: one is enough.
      void spare?.then((other) => other && end(other.sandbox));
    },
    async close() {
      likely = 0;
      const spare = await takeReady();
      if (spare) end(spare.sandbox);
    },
  };
}
