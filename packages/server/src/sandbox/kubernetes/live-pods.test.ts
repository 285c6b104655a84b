import { expect, it, vi } from 'vitest';
import type { Cluster } from './cluster.ts';
import { LivePods } from './live-pods.ts';
import type { PodListener } from './pod-watch.ts';

/** How Pods are taken out of a cluster whose API fails. */

const pod = { metadata: { name: 'agora-1' }, status: { phase: 'Running' } };

function fakeCluster(createPod: () => Promise<unknown>) {
  const stop = vi.fn();
  const deletePod = vi.fn(async () => {});
  const watchPods = vi.fn((_selector: string, _listener: PodListener) => stop);
  const cluster = { createPod, deletePod, watchPods } as unknown as Cluster;
  const pods = new LivePods(async () => cluster, 'a=b', 5);
  return { pods, deletePod, stop, tell: (isGone: boolean) => watchPods.mock.calls[0]![1](pod, isGone) };
}

it('a Pod is tidied up, though its removal under way fails', async () => {
  const { pods, deletePod, stop } = fakeCluster(async () => pod);
  const made = await pods.create(pod);
  deletePod.mockRejectedValueOnce(new Error('the API is away')).mockRejectedValueOnce(new Error('still'));
  const removed = made.remove();
  const tidied = made.tidyUp();
  await expect(removed).rejects.toThrow('the API is away');
  await tidied;
  await expect.poll(() => stop.mock.calls.length).toBe(1);
  expect(deletePod).toHaveBeenCalledTimes(3);
});

it('a Pod that the API refused is forgotten', async () => {
  const { pods, deletePod, stop } = fakeCluster(() => Promise.reject(Object.assign(new Error('no'), { status: 403 })));
  await expect(pods.create(pod)).rejects.toThrow('no');
  expect(stop).toHaveBeenCalledOnce();
  expect(deletePod).not.toHaveBeenCalled();
});

it.each([undefined, 504])('a Pod that may be made yet is deleted until it was seen gone (%s)', async (status) => {
  const { pods, deletePod, stop, tell } = fakeCluster(() => Promise.reject(Object.assign(new Error('?'), { status })));
  await expect(pods.create(pod)).rejects.toThrow('?');
  await expect.poll(() => deletePod.mock.calls.length).toBeGreaterThan(1);
  expect(stop).not.toHaveBeenCalled();
  tell(true);
  await expect.poll(() => stop.mock.calls.length).toBe(1);
});
