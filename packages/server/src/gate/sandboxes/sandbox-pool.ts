import { systemClock, withTimeout } from '../../platform/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';

/** Content of a sandbox: the delivered workspace, or the buyer's files before the work. */
export type Content = 'delivery' | 'originals';

/** The content over which a command runs. */
export interface Layout {
  /** Two of one name are the same. */
  name: string;
  content: Content;
  /** Prepares the content for the command: restores or adds files. Null while it is not known yet what. */
  prepare: ((sandbox: Sandbox) => Promise<void>) | null;
}

/** A sandbox in which nothing of the parties has run yet, and how much of the wanted content it has. */
export interface FreshSandbox {
  sandbox: Sandbox;
  holds: 'nothing' | 'content' | 'all';
}

/** The sandboxes of one gate run. */
export interface SandboxPool {
  /** Announces what will probably be taken, in order. */
  expect(plan: readonly Layout[]): void;
  /** With the layout as far as one is ready; the caller completes it otherwise. */
  take(layout: Layout): Promise<FreshSandbox>;
  /** For work beside a command. It replaces the prepared sandbox, so that at most two live at once. */
  takeBeside(layout: Layout): Promise<FreshSandbox>;
  /** Makes the next one ready, while a command runs in this one: to start a sandbox keeps this thread busy as well. */
  lookAhead(): void;
  /** For the next taker, when nothing was run in it and the delivery still lies there as it came. */
  giveBack(sandbox: Sandbox): void;
  lay(sandbox: Sandbox, content: Content): Promise<void>;
  /** Facts about all sandboxes, by name: which tools they have. */
  known: Map<string, Promise<boolean>>;
  /** Ends sandboxes that nobody took. */
  close(): Promise<void>;
}

interface Source {
  openSandbox(): Promise<Sandbox>;
  lay(sandbox: Sandbox, content: Content): Promise<void>;
}

/** A gate run holds so many; one that is told to end counts until it has, but is not waited for longer than `endMs`. */
const mostAtOnce = 2;
const endMs = 1_000;

/** A sandbox that fails to end is left to the lifetime sweep; it must not change a verdict. */
export const end = (sandbox: Sandbox) => void sandbox.destroy().catch(() => undefined);

/** One whose end is known is ended, and nobody begins anything in it. */
function isUsable(sandbox: Sandbox): boolean {
  if (sandbox.ending.aborted) end(sandbox);
  return !sandbox.ending.aborted;
}

export function createSandboxPool({ openSandbox: openAnother, lay }: Source): SandboxPool {
  const live = new Set<Promise<void>>();
  let spare: { name: string; ready: Promise<FreshSandbox | null> } | null = null;
  let returned: Sandbox | null = null;
  let ahead: Layout[] = [];

  async function openSandbox(): Promise<Sandbox> {
    if (live.size >= mostAtOnce) await withTimeout(systemClock, endMs, Promise.race(live));
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    live.add(ended);
    const leave = () => {
      live.delete(ended);
      resolve();
    };
    try {
      const sandbox = await openAnother();
      void sandbox.closed.then(leave);
      return sandbox;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async function makeReady({ content, prepare }: Layout): Promise<FreshSandbox | null> {
    try {
      const sandbox = await openSandbox();
      try {
        await lay(sandbox, content);
        await prepare?.(sandbox);
        return { sandbox, holds: prepare === null ? 'content' : 'all' };
      } catch {
        // The next caller gets the same error in its own sandbox, and knows what it means.
        end(sandbox);
      }
    } catch {
      // Nobody waits for this one; the next caller opens another.
    }
    return null;
  }

  async function takeSpare(): Promise<FreshSandbox | null> {
    const taken = spare;
    spare = null;
    const found = taken && (await taken.ready);
    return found && isUsable(found.sandbox) ? found : null;
  }

  async function open(): Promise<FreshSandbox> {
    try {
      return { sandbox: await openSandbox(), holds: 'nothing' };
    } catch (error) {
      // The prepared sandbox may take its place.
      const other = returned ?? (await takeSpare())?.sandbox;
      returned = null;
      if (other === undefined) throw error;
      await other.destroy();
      return { sandbox: await openSandbox(), holds: 'nothing' };
    }
  }

  /** Earlier items of the plan will not be taken any more. */
  function forgetUpTo(name: string): void {
    ahead.splice(0, 1 + ahead.findIndex((layout) => layout.name === name));
  }

  return {
    lay,
    known: new Map(),
    expect(plan) {
      ahead = [...plan];
    },
    async take({ name, content }) {
      forgetUpTo(name);
      if (content === 'delivery' && returned !== null) {
        const sandbox = returned;
        returned = null;
        if (isUsable(sandbox)) return { sandbox, holds: 'content' };
      }
      return (spare?.name === name ? await takeSpare() : null) ?? (await open());
    },
    async takeBeside({ name }) {
      forgetUpTo(name);
      const isReady = spare?.name === name;
      const kept = await takeSpare();
      if (isReady && kept !== null) return kept;
      await (kept?.sandbox ?? returned)?.destroy();
      returned = null;
      return open();
    },
    lookAhead() {
      const next = ahead[0];
      // Two live at once, and the one that was given back is the second.
      if (next !== undefined && spare === null && returned === null)
        spare = { name: next.name, ready: makeReady(next) };
    },
    giveBack(sandbox) {
      returned = sandbox;
    },
    async close() {
      ahead = [];
      if (returned !== null) end(returned);
      const left = await takeSpare();
      if (left) end(left.sandbox);
    },
  };
}
