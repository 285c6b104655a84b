import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { SandboxError } from '../driver.ts';
import type { Cluster } from './cluster.ts';
import { fateOf, type PodFate, stillRuns } from './ends.ts';

const DELETE_AGAIN_MS = 5_000;
/** A Pod may still be made a minute after the answer to its creation was lost: so long does the API work on a request. */
const LATE_DELETIONS = 12;
/** For a node to say that nothing is left, and then for the cluster to forget a Pod whose node says nothing. */
const GONE_MS = 15_000;

/** The Pods that this process has made. They are watched while there is one. */
export class LivePods {
  readonly #cluster: () => Promise<Cluster>;
  readonly #selector: string;
  readonly #deleteAgainMs: number;
  readonly #live = new Map<string, LivePod>();
  #stop: (() => void) | undefined;

  constructor(cluster: () => Promise<Cluster>, selector: string, deleteAgainMs = DELETE_AGAIN_MS) {
    this.#cluster = cluster;
    this.#selector = selector;
    this.#deleteAgainMs = deleteAgainMs;
  }

  async create(asked: V1Pod): Promise<LivePod> {
    const cluster = await this.#cluster();
    const name = asked.metadata!.name!;
    const pod = new LivePod(name, cluster, this.#deleteAgainMs, () => this.#forget(name));
    this.#live.set(name, pod);
    this.#stop ??= cluster.watchPods(this.#selector, (found, isGone) => {
      this.#live.get(found.metadata?.name ?? '')?.see(found, isGone);
    });
    try {
      pod.see(await cluster.createPod(asked), false);
      return pod;
    } catch (error) {
      const { status = 0 } = error as { status?: number };
      if (status >= 400 && status < 500) this.#forget(name);
      else void pod.removeLater(LATE_DELETIONS);
      throw error;
    }
  }

  #forget(name: string): void {
    this.#live.delete(name);
    if (this.#live.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}

export class LivePod {
  readonly name: string;
  readonly #cluster: Cluster;
  readonly #deleteAgainMs: number;
  readonly #forget: () => void;
  readonly #over = new AbortController();
  readonly #gone = Promise.withResolvers<void>();
  readonly #address = Promise.withResolvers<string>();
  #fate: PodFate = { state: 'waits', why: 'no node was chosen yet' };
  #mayAnswer = false;
  #removal: Promise<void> | undefined;
  #isGone = false;

  constructor(name: string, cluster: Cluster, deleteAgainMs: number, forget: () => void) {
    this.name = name;
    this.#cluster = cluster;
    this.#deleteAgainMs = deleteAgainMs;
    this.#forget = forget;
  }

  /** Aborts when it is over, with the reason. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Why it does not run; undefined while it does. */
  why(): string | undefined {
    return this.#fate.state === 'runs' ? undefined : this.#fate.why;
  }

  /** Whether it may still answer for a while, though it is over. */
  get mayAnswer(): boolean {
    return this.#mayAnswer;
  }

  see(pod: V1Pod, isGone: boolean): void {
    if (isGone) {
      this.#isGone = true;
      this.#gone.resolve();
    }
    if (this.#over.signal.aborted) return;
    this.#fate = fateOf(pod);
    if (isGone && this.#fate.state !== 'over') this.#fate = { state: 'over', why: 'it was deleted by somebody else' };
    this.#mayAnswer = !isGone && stillRuns(pod);
    if (pod.status?.podIP) this.#address.resolve(pod.status.podIP);
    if (this.#fate.state === 'over') this.#over.abort(this.#fate.why);
  }

  address(signal: AbortSignal): Promise<string> {
    return Promise.race([this.#address.promise, rejection(signal)]);
  }

  /** Waits a little for the reason of an end that the connection has told first. */
  async reasonOfEnd(patienceMs: number): Promise<string> {
    await Promise.race([rejection(this.#over.signal), sleep(patienceMs, undefined, { ref: false })]).catch(() => {});
    return this.#fate.state === 'over' ? this.#fate.why : 'its connection broke';
  }

  /** Takes it out of the cluster, and waits until it is gone. Rejects where that fails. */
  remove(): Promise<void> {
    this.#removal ??= this.#remove().catch((error) => {
      this.#removal = undefined;
      throw error;
    });
    return this.#removal;
  }

  /** Where its processes have ended, its removal is nobody's concern any more: it goes on until it succeeds. */
  async tidyUp(): Promise<void> {
    try {
      await (this.#removal ?? this.#cluster.deletePod(this.name));
      this.#forget();
    } catch {
      void this.removeLater();
    }
  }

  /** Deletes it so many times with success, or until it was seen to be gone. */
  async removeLater(times = 1): Promise<void> {
    for (let left = times; left > 0 && !this.#isGone; ) {
      await sleep(this.#deleteAgainMs, undefined, { ref: false });
      await this.#cluster.deletePod(this.name).then(
        () => left--,
        () => {},
      );
    }
    this.#forget();
  }

  async #remove(): Promise<void> {
    await this.#cluster.deletePod(this.name);
    const late = await Promise.race([this.#gone.promise, sleep(GONE_MS, 'late', { ref: false })]);
    if (late) await this.#cluster.deletePod(this.name, 0);
    this.#forget();
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const refuse = () => reject(new SandboxError('SANDBOX_UNAVAILABLE', String(signal.reason)));
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
}
