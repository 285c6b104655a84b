import { afterEach, describe, expect, it, vi } from 'vitest';
import { failure, json, startServer, type TestServer } from '../../test/support/server.ts';
import { Agora } from '../index.ts';
import { createWorker, type WorkerOptions } from './index.ts';

/** Tasks at a price each, which wait until they are started or declined. */
async function market(prices: Record<string, number | null>, buyers: Record<string, object> = {}) {
  const waiting = new Map(Object.entries(prices));
  const ends: Record<string, string> = {};
  const server = await startServer(async ({ url, body }, response) => {
    if (url === '/api/v1/agents/me') return json(response, 200, { availability: 'available' });
    const [, id = '', verb = ''] = /^\/api\/v1\/tasks\/([^/?]+)\/?([^?]*)/.exec(url) ?? [];
    if (id === 'assigned') {
      const data = [...waiting].map(([task, price]) => ({
        id: task,
        price,
        taskType: 'general',
        input: {},
        ...(buyers[task] && { buyer: buyers[task] }),
      }));
      return json(response, 200, { data, pagination: { pageSize: 20, nextCursor: null } });
    }
    if (verb === 'sandbox/provision') return json(response, 200, { data: { sandboxId: 'sbx' } });
    if (verb === 'decline' && !waiting.has(id)) return failure(response, 403, 'NOT_A_PARTY');
    waiting.delete(id);
    if (verb === 'decline') ends[id] = `declined: ${(body as { reason: string }).reason}`;
    if (verb === 'complete') ends[id] = 'delivered';
    json(response, 200, { id, taskId: id, status: 'routing', input: {} });
  });
  return { server, ends, waiting };
}

describe('a worker declines', () => {
  let server: TestServer | undefined;
  afterEach(() => server?.close());

  async function work(
    place: Awaited<ReturnType<typeof market>>,
    options: Partial<WorkerOptions>,
    until: () => boolean,
  ) {
    server = place.server;
    const controller = new AbortController();
    const onError = vi.fn();
    const agora = new Agora({ baseUrl: server.baseUrl, agentKey: 'ac_live_k', timeoutMs: 2000 });
    const handle = async () => ({ result: 'done' });
    const done = createWorker({ agora, handle, onError, ...options }).run({ signal: controller.signal });
    await expect.poll(until, { interval: 5 }).toBe(true);
    controller.abort();
    await done;
    return onError;
  }
  const ended = (place: { ends: object }, count: number) => () => Object.keys(place.ends).length === count;

  it('what pays less than its least price, and does the rest', async () => {
    const place = await market({ cheap: 99, fair: 100, free: null });
    const onError = await work(place, { minPriceCents: 100 }, ended(place, 3));
    expect(place.ends).toEqual({
      cheap: 'declined: The price is 99 cents; the least is 100',
      fair: 'delivered',
      free: 'declined: The price is 0 cents; the least is 100',
    });
    expect(onError).not.toHaveBeenCalled();
  });

  it('buyers outside its limits, and not those of whom nothing is known', async () => {
    const buyer = { tasks: 20, passRate: 0.9, refundRate: 0.1, verifiedPayment: true };
    const place = await market(
      { good: 10, picky: 10, takes: 10, fresh: 10 },
      {
        good: buyer,
        picky: { ...buyer, passRate: 0.2 },
        takes: { ...buyer, refundRate: 0.6 },
        fresh: { ...buyer, tasks: 0, passRate: null, refundRate: null },
      },
    );
    await work(place, { buyers: { minPassRate: 0.5, maxRefundRate: 0.25 } }, ended(place, 4));
    expect(place.ends).toEqual({
      good: 'delivered',
      fresh: 'delivered',
      picky: "declined: 20 % of the buyer's deliveries passed; the least is 50 %",
      takes: 'declined: The buyer had 60 % refunded; the most is 25 %',
    });
  });

  it('what it says it cannot do, for a reason that the server takes', async () => {
    const place = await market({ hard: 10, easy: 10, dumb: 10 });
    const accepts = async ({ id }: { id: string }) =>
      id === 'easy' || (id === 'hard' ? `no\0 GPU ${'x'.repeat(300)}` : '');
    await work(place, { accepts }, ended(place, 3));
    expect(place.ends).toMatchObject({ easy: 'delivered', dumb: 'declined: The agent declines the task' });
    expect(place.ends.hard).toMatch(/^declined: no GPU x{190,193}$/);
  });

  it('nothing whose check throws: it is told of that, and looks again later', async () => {
    const place = await market({ t1: 10 });
    const onError = await work(
      place,
      { accepts: () => Promise.reject(new Error('cannot tell')) },
      () => place.server.seen.filter(({ url }) => url.includes('assigned')).length >= 3,
    );
    expect([...place.waiting.keys()]).toEqual(['t1']);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'cannot tell' }), {
      id: 't1',
      price: 10,
      taskType: 'general',
      input: {},
    });
  });

  it('without an error what has gone to another agent meanwhile', async () => {
    const place = await market({ t1: 10 });
    const accepts = async () => {
      place.waiting.delete('t1');
      return 'no';
    };
    const onError = await work(place, { accepts }, () => place.server.seen.some(({ url }) => url.endsWith('/decline')));
    expect(place.ends).toEqual({});
    expect(onError).not.toHaveBeenCalled();
  });
});
