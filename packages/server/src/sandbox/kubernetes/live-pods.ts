import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { SandboxError } from '../driver.ts';
import type { Cluster } from './cluster.ts';
import { fateOf, type PodFate } from './ends.ts';

const DELETE_AGAIN_MS = 5_000;
/** For a node to say that nothing is left, and then for the cluster to forget a Pod whose node says nothing. */
const GONE_MS = 15_000;

/** The Pods that this process has made. They are watched while there is one. */
export class LivePods {
  readonly #cluster: () => Promise<Cluster>;
  readonly #selector: string;
  readonly #live = new Map<string, LivePod>();
  #stop: (() => void) | undefined;

  constructor(cluster: () => Promise<Cluster>, selector: string) {
    this.#cluster = cluster;
    this.#selector = selector;
  }

  async create(asked: V1Pod): Promise<LivePod> {
    const cluster = await this.#cluster();
    const name = asked.metadata!.name!;
    const pod = new LivePod(name, cluster, () => this.#forget(name));
    this.#live.set(name, pod);
    this.#stop ??= cluster.watchPods(this.#selector, (found, isGone) => {
      this.#live.get(found.metadata?.name ?? '')?.see(found, isGone);
    });
    try {
      pod.see(await cluster.createPod(asked), false);
      return pod;
    } catch (error) {
      // The answer may have been lost and not the Pod.
      if ((error as { status?: number }).status === undefined) void pod.remove(true);
      else this.#forget(name);
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
  readonly #forget: () => void;
  readonly #over = new AbortController();
  readonly #gone = Promise.withResolvers<void>();
  readonly #address = Promise.withResolvers<string>();
  #fate: PodFate = { state: 'waits', why: 'no node was chosen yet' };
  #removal: Promise<void> | undefined;

  constructor(name: string, cluster: Cluster, forget: () => void) {
    this.name = name;
    this.#cluster = cluster;
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

  see(pod: V1Pod, isGone: boolean): void {
    if (isGone) this.#gone.resolve();
    if (this.#over.signal.aborted) return;
    this.#fate = fateOf(pod);
    if (isGone && this.#fate.state !== 'over') this.#fate = { state: 'over', why: 'it was deleted by somebody else' };
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

  /**
   * Takes it out of the cluster. If its processes are known to have ended, that is nobody's concern any more and goes on
   * until it succeeds; otherwise it is awaited, and rejects where it fails.
   */
  remove(isEnded: boolean): Promise<void> {
    this.#removal ??= this.#remove(isEnded).catch((error) => {
      this.#removal = undefined;
      throw error;
    });
    return this.#removal;
  }

  async #remove(isEnded: boolean): Promise<void> {
    try {
      await this.#cluster.deletePod(this.name);
      if (!isEnded) await this.#awaitGone();
      this.#forget();
    } catch (error) {
      if (!isEnded) throw error;
      void this.#removeLater();
    }
  }

  async #awaitGone(): Promise<void> {
    const late = await Promise.race([this.#gone.promise, sleep(GONE_MS, 'late', { ref: false })]);
    if (late) await this.#cluster.deletePod(this.name, 0);
  }

  async #removeLater(): Promise<void> {
    for (let isLeft = true; isLeft; ) {
      await sleep(DELETE_AGAIN_MS, undefined, { ref: false });
      isLeft = await this.#cluster.deletePod(this.name).then(
        () => false,
        () => true,
      );
    }
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
