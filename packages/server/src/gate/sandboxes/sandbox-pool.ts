import type { Sandbox } from '../../sandbox/index.ts';

/** What lies in a sandbox: the delivered workspace, or the buyer's files as they were before the work. */
export type Content = 'delivery' | 'originals';

/** What a command is run over. */
export interface Layout {
  /** Two of one name are the same. */
  name: string;
  content: Content;
  /** Makes the content what the command is to find: files put back or added. */
  prepare(sandbox: Sandbox): Promise<void>;
}

/** A sandbox in which nothing of the parties' has run yet, and how much of what was wanted lies in it. */
export interface FreshSandbox {
  sandbox: Sandbox;
  holds: 'nothing' | 'content' | 'all';
}

/** The sandboxes of one gate run. */
export interface SandboxPool {
  /** Says what is likely to be taken, in order. */
  expect(plan: readonly Layout[]): void;
  /** With the layout as far as one is ready; the caller completes it otherwise. */
  take(layout: Layout): Promise<FreshSandbox>;
  /** For what runs beside a command: in place of what is kept ready, so that no more than two live at once. */
  takeBeside(layout: Layout): Promise<FreshSandbox>;
  /** Makes the next one ready, while a command runs in this one: to start a sandbox keeps this thread busy as well. */
  lookAhead(): void;
  /** For the next taker, when nothing was run in it and the delivery still lies there as it came. */
  giveBack(sandbox: Sandbox): void;
  lay(sandbox: Sandbox, content: Content): Promise<void>;
  /** What was found out about all sandboxes alike, by name: which tools they have. */
  known: Map<string, Promise<boolean>>;
  /** Ends what nobody took. */
  close(): Promise<void>;
}

interface Source {
  openSandbox(): Promise<Sandbox>;
  lay(sandbox: Sandbox, content: Content): Promise<void>;
}

/** A sandbox that fails to end is left to the lifetime sweep; it must not change a verdict. */
export const end = (sandbox: Sandbox) => void sandbox.destroy().catch(() => undefined);

export function createSandboxPool({ openSandbox, lay }: Source): SandboxPool {
  let spare: { name: string; ready: Promise<FreshSandbox | null> } | null = null;
  let returned: Sandbox | null = null;
  let ahead: Layout[] = [];

  async function makeReady({ content, prepare }: Layout): Promise<FreshSandbox | null> {
    try {
      const sandbox = await openSandbox();
      try {
        await lay(sandbox, content);
        await prepare(sandbox);
        return { sandbox, holds: 'all' };
      } catch {
        // Whoever comes next meets the same in a sandbox of its own, and says what it means.
        end(sandbox);
      }
    } catch {
      // Nobody has asked for this one yet; who does opens another.
    }
    return null;
  }

  async function takeSpare(): Promise<FreshSandbox | null> {
    const taken = spare;
    spare = null;
    return taken === null ? null : taken.ready;
  }

  async function open(): Promise<FreshSandbox> {
    try {
      return { sandbox: await openSandbox(), holds: 'nothing' };
    } catch (error) {
      // The one that is kept ready may be in its place.
      const other = returned ?? (await takeSpare())?.sandbox;
      returned = null;
      if (other === undefined) throw error;
      await other.destroy();
      return { sandbox: await openSandbox(), holds: 'nothing' };
    }
  }

  /** What comes before it in the plan will not be asked for any more. */
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
        return { sandbox, holds: 'content' };
      }
      return (spare?.name === name ? await takeSpare() : null) ?? (await open());
    },
    async takeBeside({ name }) {
      forgetUpTo(name);
      const isReady = spare?.name === name;
      const kept = await takeSpare();
      if (isReady && kept !== null) return kept;
      await kept?.sandbox.destroy();
      return open();
    },
    lookAhead() {
      const next = ahead[0];
      if (next !== undefined && spare === null) spare = { name: next.name, ready: makeReady(next) };
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
