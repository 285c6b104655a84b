import { createHash, randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { systemClock } from '../../platform/index.ts';
import { ender } from '../agent/ender.ts';
import { AgentSandbox } from '../agent/sandbox.ts';
import { checkInside, LOOK } from '../docker/check.ts';
import { LaidInput } from '../docker/input.ts';
import { serverTag } from '../docker/owner.ts';
import {
  type Enforcement,
  type Sandbox,
  type SandboxDriver,
  SandboxError,
  type SandboxLimits,
  type SandboxStart,
} from '../driver.ts';
import { checkLimits, DEFAULT_LIMITS } from '../limits.ts';
import { tryOut } from '../try-out.ts';
import { isAbandoned } from './abandoned.ts';
import { changedByCluster } from './check.ts';
import { type Cluster, clusterOf, unavailable } from './cluster.ts';
import { type DoorAddress, type Passage, passDoor } from './door-client.ts';
import { DOOR_PORT } from './door-terms.ts';
import { type LivePod, LivePods } from './live-pods.ts';
import { AGENT_UID, LABELS, type PodPlan, podSpec, SANDBOX_UIDS, STOP_SECONDS } from './spec.ts';
import { readTemplate } from './template.ts';

export interface KubernetesSettings {
  installationId: string;
  /** A file; the library's own rules where absent. */
  kubeconfig?: string | undefined;
  namespace?: string | undefined;
  /** The operator's image; it needs /bin/sh and rm, and nothing of ours. */
  image: string | undefined;
  /** The image with the door and the sandbox agent. */
  agentImage: string | undefined;
  /** A file with a PodTemplate. */
  template?: string | undefined;
  startMs?: number | undefined;
  lifetimeMs?: number | undefined;
}

const START_MS = 60_000;
const LIFETIME_MS = 86_400_000;
const LOOK_TIMEOUT_MS = 10_000;
const LOOK_BYTES = 256 * 1024;
/** For the door to say that the sandbox agent has ended. */
const FAREWELL_MS = 2_000;
/** For the door to let in one that lays inputs. */
const INPUT_DOOR_MS = 10_000;
/** For the cluster to say why a Pod has ended whose connection broke. */
const REASON_MS = 2_000;

export class KubernetesDriver implements SandboxDriver {
  readonly name = 'kubernetes';
  readonly #settings: KubernetesSettings;
  readonly #cluster: () => Promise<Cluster>;
  readonly #pods: LivePods;

  constructor(settings: KubernetesSettings) {
    this.#settings = settings;
    this.#cluster = clusterOf(settings);
    this.#pods = new LivePods(this.#cluster, selectorOf(this.#labels));
  }

  async probe(): ReturnType<SandboxDriver['probe']> {
    return tryOut(() => this.create('probe', DEFAULT_LIMITS));
  }

  async create(id: string, limits: SandboxLimits, start?: SandboxStart): Promise<Sandbox> {
    checkLimits(limits);
    try {
      return await this.#start(await this.#plan(limits, start), id, start);
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      throw unavailable(`A Pod could not be started: ${(error as Error).message}`);
    }
  }

  /** A cluster that does not answer must not keep a server from its start. */
  async reclaim(): Promise<void> {
    const { installationId, startMs = START_MS } = this.#settings;
    try {
      const cluster = await this.#cluster();
      const found = await cluster.listPods(`${LABELS.installation}=${installationId}`);
      const abandoned = found.filter((pod) => isAbandoned(pod, systemClock.now().getTime(), startMs));
      await Promise.all(abandoned.map(({ metadata }) => cluster.deletePod(metadata!.name!)));
    } catch (error) {
      process.emitWarning(`Pods of ended servers may be left: ${(error as Error).message}`);
    }
  }

  get #labels(): Record<string, string> {
    const server = createHash('sha256').update(serverTag()).digest('hex').slice(0, 32);
    return { [LABELS.installation]: this.#settings.installationId, [LABELS.server]: server };
  }

  async #plan(limits: SandboxLimits, start: SandboxStart | undefined): Promise<PodPlan> {
    const { agentImage, startMs = START_MS, lifetimeMs = LIFETIME_MS } = this.#settings;
    const image = start?.image ?? this.#settings.image;
    if (!image) throw unavailable('No image is named. Cure: set SANDBOX_KUBERNETES_IMAGE.');
    if (!agentImage)
      throw unavailable('No image with the sandbox agent is named. Cure: set SANDBOX_KUBERNETES_AGENT_IMAGE.');
    const [template, { namespace }] = await Promise.all([readTemplate(this.#settings.template), this.#cluster()]);
    return {
      name: `agora-${randomBytes(8).toString('hex')}`,
      namespace,
      image,
      doorImage: agentImage,
      limits,
      key: randomBytes(32),
      uid: SANDBOX_UIDS.first + randomInt(SANDBOX_UIDS.count),
      labels: this.#labels,
      server: serverTag(),
      ...{ startMs, lifetimeMs, template },
    };
  }

  async #start(plan: PodPlan, id: string, start: SandboxStart | undefined): Promise<Sandbox> {
    const asked = podSpec(plan);
    const pod = await this.#pods.create(asked);
    const timeout = AbortSignal.timeout(plan.startMs);
    const opening = AbortSignal.any([timeout, pod.over, ...(start?.signal ? [start.signal] : [])]);
    let sandbox: AgentSandbox | undefined;
    let isStarting = true;
    try {
      const address = { host: await pod.address(opening), port: DOOR_PORT, key: plan.key };
      const passage = await passDoor(address, 'sandbox', opening);
      opening.addEventListener('abort', passage.destroy);
      if (opening.aborted) passage.destroy();
      const enforcement: Enforcement = { limits: 'enforced', notes: [] };
      sandbox = liveSandbox({ id, plan, enforcement, start }, pod, passage, address);
      await sandbox.ready;
      Object.assign(enforcement, await this.#check(asked, sandbox, plan));
      isStarting = false;
      opening.removeEventListener('abort', passage.destroy);
      const leave = () => void setTimeout(passage.destroy, pod.mayAnswer ? STOP_SECONDS * 1_000 : 0).unref();
      pod.over.addEventListener('abort', leave);
      if (pod.over.aborted) leave();
      await sandbox.copyLayer();
      return sandbox;
    } catch (error) {
      // Before the Pod is removed, which is an end as well.
      const isLate = isStarting && timeout.aborted;
      const why = pod.why() ?? (isLate ? 'it did not answer in time' : (error as Error).message);
      const isOver = isLate || pod.over.aborted;
      await (sandbox?.destroy().catch(() => {}) ?? pod.tidyUp());
      if (error instanceof SandboxError && error.code === 'SANDBOX_UNAVAILABLE' && !isOver) throw error;
      const late = isLate ? ` in ${plan.startMs / 1000} s` : '';
      throw unavailable(`A Pod could not be started${late}: ${why}.`);
    }
  }

  async #check(asked: V1Pod, sandbox: AgentSandbox, { limits, name }: PodPlan): Promise<Enforcement> {
    const { readPod } = await this.#cluster();
    const look = { command: LOOK, timeoutMs: LOOK_TIMEOUT_MS };
    const [found, seen] = await Promise.all([readPod(name), sandbox.exec(look, { keptBytes: LOOK_BYTES })]);
    if (seen.exitCode !== 0) throw unavailable(`A Pod cannot be looked into: ${seen.stderr.trim()}`);
    const changed = changedByCluster(asked, found);
    if (changed.length > 0) throw unavailable(`The cluster has changed a Pod. It has ${changed.join(', ')}.`);
    const inside = checkInside({ uid: AGENT_UID, limits, countsByUser: true }, seen.stdout);
    if (inside.missing.length === 0) return inside.enforcement;
    throw unavailable(
      `The cluster does not give what was asked for: ${inside.missing.join(', ')}. ${cureFor(inside.missing)}`,
    );
  }
}

/** The sandbox agent leaves the Pod's network for a user namespace of its own. */
const cureFor = (missing: string[]): string =>
  missing.some((what) => /network|user/.test(what))
    ? 'Set `seccompProfile: {type: Unconfined}`, or a profile that allows user namespaces, for the container `sandbox` in SANDBOX_KUBERNETES_TEMPLATE. This is tested with runc; gVisor and Kata not yet. See docs/sandbox.md.'
    : 'See docs/sandbox.md.';

function liveSandbox(
  {
    id,
    plan,
    enforcement,
    start,
  }: { id: string; plan: PodPlan; enforcement: Enforcement; start: SandboxStart | undefined },
  pod: LivePod,
  passage: Passage,
  address: DoorAddress,
): AgentSandbox {
  let isOurs = false;
  const broken = new AbortController();
  const closed = passage.closed.then(async () => {
    if (!isOurs) broken.abort();
    if (!isOurs) process.emitWarning(`Sandbox ${id} has ended: ${await pod.reasonOfEnd(REASON_MS)}.`);
    await pod.tidyUp();
  });
  const end = ender(async () => {
    isOurs = !pod.over.aborted;
    passage.end();
    const isLate = await Promise.race([passage.closed, sleep(FAREWELL_MS, true, { ref: false })]);
    if (isLate) {
      process.emitWarning(`Sandbox ${id} is left to the cluster to end: its door does not answer.`);
      await pod.remove().finally(passage.destroy);
    }
    await closed;
  });
  const ended = new AbortController();
  void passage.closed.then(() => ended.abort());
  const input = new LaidInput(async () => {
    const opening = AbortSignal.any([ended.signal, AbortSignal.timeout(INPUT_DOOR_MS)]);
    const { socket, closed, end, destroy } = await passDoor(address, 'input', opening).catch((error) => {
      throw ended.signal.aborted ? new SandboxError('SANDBOX_GONE', 'The sandbox has ended.') : error;
    });
    // The door lets in the next one when it has closed this one.
    const close = async () => {
      end();
      socket.resume();
      await Promise.race([closed, sleep(FAREWELL_MS, undefined, { ref: false })]);
      destroy();
    };
    return { streams: { stdin: socket, stdout: socket, closed, close: end }, close };
  });
  const { socket } = passage;
  const ending = AbortSignal.any([pod.over, broken.signal]);
  return new AgentSandbox(
    { id, limits: plan.limits, enforcement, closed, ending, input, start },
    { stdin: socket, stdout: socket },
    end,
  );
}

const selectorOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
