import { createDependencies } from '../../src/dependencies/dependencies.ts';
import { fileEntry } from '../../src/dependencies/entries.ts';
import type { PrivateRegistry } from '../../src/dependencies/private-registries/registries.ts';
import { type Clock, createLog, readConfig, systemClock } from '../../src/platform/index.ts';
import { encodeArchive, readArchive, type Sandbox } from '../../src/sandbox/index.ts';

interface Installing {
  /** As an operator names them. */
  settings: Record<string, string>;
  /** What the sandbox prints of its programs. */
  versions: string;
  /** The file that each installation makes, and how large. */
  made: string;
  bytes?: number;
  own?: PrivateRegistry[];
  clock?: Clock;
  /** Is waited for before a command of an installation ends. */
  runs?(command: string): Promise<void> | void;
}

/** Installs packages with a sandbox that runs nothing. `commands`: what it was to run; `inputs`: the files it was given. */
export async function openInstalling({ settings, versions, made, bytes = 4, own = [], ...options }: Installing) {
  const { clock = systemClock, runs = () => {} } = options;
  const inputs: string[] = [];
  const commands: string[] = [];
  const sandbox = {
    async exec({ command }: { command: string }) {
      const isAsked = command.includes('version');
      if (!isAsked) {
        commands.push(command);
        await runs(command);
      }
      const stdout = isAsked ? versions : '';
      return { exitCode: 0, stdout, stderr: '', timedOut: false, truncated: false, durationMs: 1 };
    },
    writeInput: async (archive: Buffer) => void inputs.push(...[...readArchive(archive)].map(({ path }) => path)),
    importWorkspace: async () => {},
    exportWorkspace: () => encodeArchive([fileEntry(made, 'x'.repeat(bytes))]),
    destroy: async () => {},
  } as unknown as Sandbox;
  const { prepare } = await createDependencies({
    ...{
      clock,
      config: { ...readConfig(settings), OUTBOUND_ALLOW_LOOPBACK: own.length > 0 },
      log: createLog('silent'),
    },
    disk: { shortage: async () => null, requireRoom: async () => {}, noteFull: () => {} },
    stopping: new AbortController().signal,
    book: () => {},
    privateRegistries: { of: async () => own },
    openSandbox: async () => sandbox,
  });
  return {
    inputs,
    commands,
    /** For an owner's task with these files. */
    prepare: (ownerId: string, files: Record<string, string>, setup: string | null = null) =>
      prepare({
        ...{ ownerId, isOwners: true, start: {}, setup: setup === null ? null : { command: setup, timeoutMs: 60_000 } },
        files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })),
      }),
  };
}
