import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod, V1PodList } from '@kubernetes/client-node';

export type PodListener = (pod: V1Pod, isGone: boolean) => void;

/** What is asked of the API. Either call may reject; a watch resolves when it has ended. */
export interface PodSource {
  list(stopped: AbortSignal): Promise<V1PodList>;
  watch(since: string | undefined, listener: PodListener, stopped: AbortSignal): Promise<void>;
}

/**
 * Tells of every Pod and of every change, until it is stopped. However a watch ends, the next one begins with a list, which
 * also shows what has changed meanwhile.
 */
export function watchPods(source: PodSource, againMs: number, listener: PodListener): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const known = new Map<string, V1Pod>();

  function see(pod: V1Pod, isGone: boolean): void {
    if (signal.aborted) return;
    if (isGone) known.delete(nameOf(pod));
    else known.set(nameOf(pod), pod);
    listener(pod, isGone);
  }

  async function listAndWatch(): Promise<void> {
    const { items, metadata } = await source.list(signal);
    const listed = new Set(items.map(nameOf));
    for (const pod of [...known.values()].filter((each) => !listed.has(nameOf(each)))) see(pod, true);
    for (const pod of items) see(pod, false);
    await source.watch(metadata?.resourceVersion, see, signal);
  }

  async function keepOn(): Promise<void> {
    while (!signal.aborted) {
      await listAndWatch().catch(() => {});
      await sleep(againMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  void keepOn();
  return () => stopping.abort();
}

const nameOf = ({ metadata }: V1Pod): string => metadata?.name ?? '';
