import { ender } from '../agent/ender.ts';
import { AgentSandbox } from '../agent/sandbox.ts';
import { Uids, uidRange } from '../bwrap/uids.ts';
import {
  type Enforcement,
  type Sandbox,
  type SandboxDriver,
  SandboxError,
  type SandboxLimits,
  type SandboxStart,
} from '../driver.ts';
import { checkLimits, DEFAULT_LIMITS } from '../limits.ts';
import { buildNative } from '../native.ts';
import { tryOut } from '../try-out.ts';
import { checkInside, LOOK, missingByEngine } from './check.ts';
import { type Created, hasRuntime, isNameTaken, isPodman, removeContainer } from './container.ts';
import {
  attach,
  connectEngine,
  type Engine,
  type EngineAddress,
  parseEngineHost,
  reason,
  unavailable,
} from './engine.ts';
import { prepareImage } from './image.ts';
import { containerInput } from './input.ts';
import { isLeftOver, serverTag } from './owner.ts';
import { type ContainerPlan, containerSpec, LABELS } from './spec.ts';

export interface DockerSettings {
  installationId: string;
  /** `unix:///path`, `tcp://host:port` or `https://host:port`. */
  host?: string;
  /** A directory with ca.pem, cert.pem and key.pem, for an engine behind TLS. */
  certPath?: string;
  /** The operator's image; it needs /bin/sh and cat, and nothing of ours. */
  image: string | undefined;
  /** Others that a task may name. */
  images?: readonly string[];
  /** A runtime the engine knows, as runsc or kata; verified after every start. */
  runtime?: string;
  nativeDir?: string;
}

interface Ground {
  engine: Engine;
  image: string;
  uids: Uids;
  isPodman: boolean;
}

const DEFAULT_HOST = 'unix:///var/run/docker.sock';
const START_TIMEOUT_MS = 30_000;
const LOOK_TIMEOUT_MS = 10_000;
const LOOK_BYTES = 256 * 1024;
/** As many users are named in the image, which every look-up of a name reads. */
const UIDS = 1_000;
/** Where the engine maps users itself, it gives a container 65,536. */
const MAPPED_UIDS = { first: 30_000, count: UIDS };

export class DockerDriver implements SandboxDriver {
  readonly name = 'docker';
  readonly #settings: DockerSettings;
  readonly #address: EngineAddress;
  /** By the operator's image. */
  readonly #grounds = new Map<string, Promise<Ground>>();

  constructor(settings: DockerSettings) {
    if (!/^[A-Za-z0-9_-]{1,60}$/.test(settings.installationId)) throw new RangeError('A malformed installation id.');
    this.#settings = settings;
    this.#address = parseEngineHost(settings.host ?? DEFAULT_HOST, settings.certPath);
  }

  async probe(): ReturnType<SandboxDriver['probe']> {
    return tryOut(() => this.create('probe', DEFAULT_LIMITS));
  }

  async create(id: string, limits: SandboxLimits, start?: SandboxStart): Promise<Sandbox> {
    checkLimits(limits);
    try {
      const ground = await this.#prepare(start?.image ?? this.#settings.image);
      return await this.#start(ground, id, limits, start);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** An engine that is not there has nothing of ours, and a server without sandboxes must still start. */
  async reclaim(): Promise<void> {
    const engine = connectEngine(this.#address);
    const isThere = await engine.ping().then(
      () => true,
      () => false,
    );
    if (isThere) await this.#reclaimFrom(engine);
  }

  async #reclaimFrom(engine: Engine): Promise<void> {
    const found = await engine.containersOf(`${LABELS.installation}=${this.#settings.installationId}`);
    const left = found.filter(({ Labels, State }) => isLeftOver(Labels[LABELS.server], State === 'running'));
    for (const result of await Promise.allSettled(left.map(({ Id }) => removeContainer(engine, Id)))) {
      if (result.status === 'rejected') process.emitWarning(`A container was left behind: ${reason(result.reason)}`);
    }
  }

  /** Tried again after a failure, so that starting the engine or pulling the image needs no restart. */
  #prepare(image: string | undefined): Promise<Ground> {
    if (!image) throw unavailable(new Error('No image is named. Cure: set SANDBOX_DOCKER_IMAGE.'));
    const existing = this.#grounds.get(image);
    if (existing) return existing;
    const ground = this.#lay(image).catch((error) => {
      this.#grounds.delete(image);
      throw error;
    });
    this.#grounds.set(image, ground);
    return ground;
  }

  async #lay(base: string): Promise<Ground> {
    const { installationId, image = base, images = [], nativeDir, host = DEFAULT_HOST } = this.#settings;
    const engine = connectEngine(this.#address);
    const info = await engine.info().catch((error) => {
      throw unavailable(`No container engine answers at ${host}: ${reason(error)}`);
    });
    if (info.OSType && info.OSType !== 'linux')
      throw unavailable(`The engine runs ${info.OSType} containers, not Linux.`);
    await this.#reclaimFrom(engine);
    const isMapped = (info.SecurityOptions ?? []).some((each) => /name=(userns|rootless)/.test(each));
    const range = isMapped ? MAPPED_UIDS : { ...uidRange(installationId, '0 0 4294967295'), count: UIDS };
    const name = await prepareImage(engine, {
      installationId,
      base,
      bases: [image, ...images],
      nativeDir: nativeDir ?? buildNative(),
      uids: range,
    });
    return { engine, image: name, uids: new Uids(range), isPodman: await isPodman(engine) };
  }

  /** The engine keeps names apart, so two servers of one installation never run two containers as one user. */
  async #createContainer({ engine, image, uids, isPodman }: Ground, limits: SandboxLimits): Promise<Created> {
    const { installationId, runtime } = this.#settings;
    const labels = { [LABELS.installation]: installationId, [LABELS.server]: serverTag() };
    for (let tries = 1; ; tries++) {
      const uid = uids.take();
      const name = `agora-${installationId}-${uid}`;
      const plan: ContainerPlan = { name, image, limits, mark: `agora-docker/${name}`, uid, labels, runtime, isPodman };
      try {
        const { Id: id } = await engine.createContainer(containerSpec(plan));
        return { id, plan, release: () => uids.release(uid) };
      } catch (error) {
        uids.release(uid);
        if (!isNameTaken(error) || tries === UIDS) throw error;
      }
    }
  }

  async #start(ground: Ground, id: string, limits: SandboxLimits, start?: SandboxStart): Promise<Sandbox> {
    const { engine } = ground;
    const created = await this.#createContainer(ground, limits);
    const streams = await attach(this.#address, created.id).catch(async (error) => {
      await removeContainer(engine, created.id).then(created.release, () => undefined);
      throw error;
    });
    const cleared = streams.closed.then(() => removeContainer(engine, created.id)).then(created.release);
    // Nobody need wait for the end of a sandbox, and a rejection that nobody takes would stop the server.
    const closed = cleared.catch((error) => {
      process.emitWarning(`Sandbox ${id} left something behind: ${reason(error)}`);
    });
    const end = ender(async () => {
      await removeContainer(engine, created.id).finally(() => streams.close());
      await cleared;
    });
    const enforcement: Enforcement = { limits: 'enforced', notes: [] };
    const input = containerInput(engine, this.#address, created);
    const sandbox = new AgentSandbox({ id, limits, enforcement, closed, input, start }, streams, end);
    const timer = setTimeout(() => streams.close(), START_TIMEOUT_MS);
    try {
      // An engine that never answers must not hold anybody up.
      const ended = streams.closed.then(() => Promise.reject(new Error('it ended early, or did not start in time')));
      await Promise.race([engine.startContainer(created.id), ended]);
      await Promise.race([sandbox.ready, ended]);
      Object.assign(enforcement, await this.#check(engine, created, sandbox));
      clearTimeout(timer);
      await sandbox.copyLayer();
      return sandbox;
    } catch (error) {
      await end().catch(() => undefined);
      if (error instanceof SandboxError && error.code === 'SANDBOX_UNAVAILABLE') throw error;
      throw unavailable(`A container could not be started: ${streams.complaint().trim() || reason(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #check(engine: Engine, { id, plan }: Created, sandbox: AgentSandbox): Promise<Enforcement> {
    const look = { command: LOOK, timeoutMs: LOOK_TIMEOUT_MS };
    const [found, seen] = await Promise.all([
      engine.inspectContainer(id),
      sandbox.exec(look, { keptBytes: LOOK_BYTES }),
    ]);
    if (seen.exitCode !== 0) throw unavailable(`A container cannot be looked into: ${seen.stderr.trim()}`);
    const inside = checkInside(plan, seen.stdout);
    const missing = [...missingByEngine(plan, found), ...inside.missing];
    if (plan.runtime && !(await hasRuntime(engine, found, plan.runtime))) missing.push(`the runtime ${plan.runtime}`);
    if (missing.length === 0) return inside.enforcement;
    throw unavailable(`The container engine does not give what was asked for: ${missing.join(', ')}.`);
  }
}
