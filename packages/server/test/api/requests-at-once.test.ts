import { describe, expect, test } from 'vitest';
import { hireAndStart, makePair, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile();
const limit = 3;

const startLimited = () => startSecondApp(server, { config: { ...server.config, REQUESTS_AT_ONCE: limit } });

describe('requests of one caller under way', () => {
  test('are refused above the limit, which others do not share, and let in as soon as one has ended', async () => {
    const { app, url } = await startLimited();
    try {
      const [pair, other] = [await makePair(server), await makePair(server)];
      const ask = (key: string, wait: number) =>
        fetch(`${url}/api/v1/tasks/assigned?wait=${wait}`, { headers: { 'x-api-key': key } });
      const polls = Array.from({ length: limit }, () => ask(pair.agent.key, 30));
      await expect.poll(() => app.waiting()).toBe(limit);
      const refused = await ask(pair.agent.key, 0);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect(await refused.json()).toMatchObject({
        error: { code: 'RATE_LIMITED', details: { scope: 'atOnce', limit, setting: 'REQUESTS_AT_ONCE' } },
      });
      expect((await ask(other.agent.key, 0)).status).toBe(200);
      await pair.buyer.agora.tasks.submit({
        taskType: 'general',
        maxBudget: 100,
        input: { description: 'Wake up' },
        agentId: pair.agent.id,
      });
      expect((await Promise.all(polls)).map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await ask(pair.agent.key, 0)).status).toBe(200);
    } finally {
      await app.close();
    }
  });

  test('count no longer once the caller has gone, or its reply came as a stream', async () => {
    const { app, url } = await startLimited();
    try {
      const pair = await makePair(server);
      const { agora } = pair.agent;
      const task = await hireAndStart(pair);
      await agora.sandbox.provision(task.id);
      const headers = { 'x-api-key': pair.agent.key };
      const idle = { 'x-api-key': (await makePair(server)).agent.key };
      for (let nth = 0; nth < 2 * limit; nth++) {
        const gone = new AbortController();
        const poll = fetch(`${url}/api/v1/tasks/assigned?wait=30`, { headers: idle, signal: gone.signal });
        await expect.poll(() => app.waiting()).toBeGreaterThan(0);
        gone.abort();
        await expect(poll).rejects.toThrow();
        await expect.poll(() => app.waiting()).toBe(0);
      }
      for (let nth = 0; nth < 2 * limit; nth++) {
        const reply = await fetch(`${url}/api/v1/tasks/${task.id}/sandbox/exec`, {
          method: 'POST',
          headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
          body: JSON.stringify({ command: 'echo done' }),
        });
        expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('done')]);
      }
    } finally {
      await app.close();
    }
  });
});
