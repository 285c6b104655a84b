import { AgentClient, END_FLAGS } from '../agent/client.ts';
import { type ArchiveEntry, encodeArchive, readArchive } from '../archive.ts';
import { BASE_ENVIRONMENT } from '../bwrap/launch.ts';
import { SandboxError } from '../driver.ts';
import { type Created, removeContainer } from './container.ts';
import { type Attached, attach, type Engine, type EngineAddress, reason } from './engine.ts';
import { fillerSpec } from './spec.ts';

/**
 * The buyer's inputs of one sandbox on another machine: a volume which the sandbox has as a read-only `/input` and which
 * goes with it. A sandbox agent apart from it fills the volume. For a container that is a second container, which lives
 * for a moment.
 */

const FILL_TIMEOUT_MS = 120_000;
const EMPTY = 'rm -rf /input/* /input/.[!.]* /input/..?*';

/** Files of root there must be readable for the sandbox's user. */
const opened = (entry: ArchiveEntry): ArchiveEntry => ({ ...entry, mode: entry.mode & 0o100 ? 0o755 : 0o644 });

/** Directories first, for an archive need not name them, and one made on the way has the mode of any other. */
function openedArchive(archive: Buffer): Promise<Buffer> {
  return encodeArchive(allOpened(archive));
}

function* allOpened(archive: Buffer): Generator<ArchiveEntry> {
  for (const entry of readArchive(archive))
    yield entry.type === 'directory' ? { ...entry, mode: 0o755 } : opened(entry);
}

/** The way to a sandbox agent that sees `/input` writable, and to nobody else's processes. */
interface WayIn {
  streams: Pick<Attached, 'stdin' | 'stdout' | 'closed' | 'close'>;
  close(): Promise<void>;
}

/** The inputs of a sandbox, laid by an agent apart from it. */
export class LaidInput {
  readonly #open: () => Promise<WayIn>;
  #work: Promise<void> = Promise.resolve();

  constructor(open: () => Promise<WayIn>) {
    this.#open = open;
  }

  /** Replaces what is there. */
  fill(archive: Buffer): Promise<void> {
    const filled = this.#work.then(() => this.#fill(archive));
    this.#work = filled.catch(() => undefined);
    return filled;
  }

  async #fill(archive: Buffer): Promise<void> {
    const input = await openedArchive(archive);
    try {
      const way = await this.#open();
      await lay(way.streams, input).finally(() => way.close());
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      throw new SandboxError('SANDBOX_UNAVAILABLE', `The inputs could not be laid: ${reason(error)}`);
    }
  }
}

/** Of a container: by one that fills its volume. */
export function containerInput(engine: Engine, address: EngineAddress, { id, plan }: Created): LaidInput {
  return new LaidInput(async () => {
    const found = await engine.inspectContainer(id).catch(() => undefined);
    const volume = found?.Mounts.find(({ Destination }) => Destination === '/input')?.Name;
    if (!volume) throw new SandboxError('SANDBOX_GONE', 'The sandbox has ended.');
    const { Id: filler } = await engine.createContainer(fillerSpec({ ...plan, name: `${plan.name}-input` }, volume));
    const close = () => removeContainer(engine, filler);
    try {
      const streams = await attach(address, filler);
      await engine.startContainer(filler);
      return { streams, close };
    } catch (error) {
      await close();
      throw error;
    }
  });
}

async function lay(streams: WayIn['streams'], input: Buffer): Promise<void> {
  const gone = new SandboxError('SANDBOX_UNAVAILABLE', 'What lays the inputs ended early.');
  const client = new AgentClient(streams.stdin, streams.stdout, () => streams.close());
  void streams.closed.then(() => client.close(gone));
  await client.ready;
  const environment = Object.entries(BASE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  const common = { timeoutMs: FILL_TIMEOUT_MS, cap: 4096 };
  const emptied = await client.request({ operation: 'exec', strings: ['/input', EMPTY, ...environment], ...common });
  const laid = await client.request({ operation: 'import', strings: ['/input'], input, ...common });
  client.close(gone);
  for (const { status, flags } of [emptied, laid]) {
    if (status === 0 && (flags & END_FLAGS.timedOut) === 0) continue;
    if (status === 28 || status === 122) {
      throw new SandboxError('SANDBOX_UNAVAILABLE', 'The disk of the sandboxes has no room for the inputs.');
    }
    throw new SandboxError('REFUSED', `The inputs were refused (errno ${status}).`);
  }
}
