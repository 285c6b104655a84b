import { AgentClient, END_FLAGS } from '../agent/client.ts';
import { type ArchiveEntry, encodeArchive, readArchive } from '../archive.ts';
import { BASE_ENVIRONMENT } from '../bwrap/launch.ts';
import { SandboxError } from '../driver.ts';
import { type Created, removeContainer } from './container.ts';
import { type Attached, attach, type Engine, type EngineAddress, reason } from './engine.ts';
import { fillerSpec } from './spec.ts';

/**
 * The buyer's inputs of one container: a volume of the engine, which the container has as a read-only `/input` and
 * which goes with it. A second container that lives for a moment fills it, so the engine may be on another machine.
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

export class DockerInput {
  readonly #engine: Engine;
  readonly #address: EngineAddress;
  readonly #container: Created;
  #work: Promise<void> = Promise.resolve();

  constructor(engine: Engine, address: EngineAddress, container: Created) {
    this.#engine = engine;
    this.#address = address;
    this.#container = container;
  }

  /** Replaces what is there. */
  fill(archive: Buffer): Promise<void> {
    const filled = this.#work.then(() => this.#fill(archive));
    this.#work = filled.catch(() => undefined);
    return filled;
  }

  async #fill(archive: Buffer): Promise<void> {
    const input = await openedArchive(archive);
    const volume = await this.#volume();
    const { plan } = this.#container;
    const named = { ...plan, name: `${plan.name}-input` };
    const { Id: filler } = await this.#engine.createContainer(fillerSpec(named, volume));
    try {
      const streams = await attach(this.#address, filler);
      await this.#engine.startContainer(filler);
      await lay(streams, input);
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      throw new SandboxError('SANDBOX_UNAVAILABLE', `The inputs could not be laid: ${reason(error)}`);
    } finally {
      await removeContainer(this.#engine, filler);
    }
  }

  async #volume(): Promise<string> {
    const found = await this.#engine.inspectContainer(this.#container.id).catch(() => undefined);
    const volume = found?.Mounts.find(({ Destination }) => Destination === '/input')?.Name;
    if (!volume) throw new SandboxError('SANDBOX_GONE', 'The sandbox has ended.');
    return volume;
  }
}

async function lay(streams: Attached, input: Buffer): Promise<void> {
  const gone = new SandboxError('SANDBOX_UNAVAILABLE', 'The container that lays the inputs ended early.');
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
      throw new SandboxError('SANDBOX_UNAVAILABLE', 'The disk of the container engine has no room for the inputs.');
    }
    throw new SandboxError('REFUSED', `The inputs were refused (errno ${status}).`);
  }
}
