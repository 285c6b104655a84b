import { get } from 'node:http';
import { fastify } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { csvLine, sendCsv } from '../../src/platform/index.ts';
import { exportTransactions } from '../../src/vault/statements/export.ts';
import { poolOf } from '../../src/vault/statements/transactions.ts';
import type { TestOwner } from '../support/harness.ts';
import { parse, textOf } from './csv-text.ts';
import { holdOf, plant, topUpOf, uuidOf } from './plant.ts';
import { salesScene } from './sales-scene.ts';

/** Files for spreadsheets, and long histories. */

const scene = salesScene();

describe('cells', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    [' blank', '" blank"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['＝1', "'＝1"],
    ['=1,"2"', `"'=1,""2"""`],
  ])('%j is written as %j', (text, written) => {
    expect(csvLine([text])).toBe(`${written}\r\n`);
  });

  test('numbers keep their sign, and nothing is an empty cell', () => {
    expect(csvLine([-5, null, 0, ''])).toBe('-5,,0,\r\n');
  });
});

describe('an export of movements', () => {
  const header =
    'createdAt,id,cause,account,amountCents,balanceBeforeCents,balanceAfterCents,taskId,counterparty,currency';

  test('holds what the list holds, in its order, for each who may read it', async () => {
    const { buyer, seller, agent } = scene.pair;
    const exports = [
      [buyer.agora.vault.exportPoolTransactions(), buyer.agora.vault.poolTransactions({ pageSize: 100 })],
      [agent.agora.vault.exportWalletTransactions(), agent.agora.vault.walletTransactions()],
      [
        seller.agora.vault.exportAgentWalletTransactions(agent.id),
        seller.agora.vault.agentWalletTransactions(agent.id),
      ],
    ] as const;
    for (const [csv, list] of exports) {
      const [first, ...records] = parse(await textOf(csv));
      expect(first?.join(',')).toBe(header);
      const { data } = await list;
      expect(data.length).toBeGreaterThan(2);
      expect(records).toEqual(
        data.map((each) => [
          each.createdAt,
          each.id,
          each.cause,
          each.account,
          String(each.amount),
          String(each.balanceBefore),
          String(each.balanceAfter),
          each.taskId ?? '',
          each.counterparty ?? '',
          'USD',
        ]),
      );
    }
  });

  test('takes the filters of the list', async () => {
    const query = { cause: 'hold', account: 'pool_held', from: '2026-12-01T00:00:00Z' } as const;
    expect(parse(await textOf(scene.pair.buyer.agora.vault.exportPoolTransactions(query)))).toHaveLength(2);
    const none = await textOf(scene.pair.buyer.agora.vault.exportPoolTransactions({ to: '2026-01-01T00:00:00Z' }));
    expect(none).toBe(`${header}\r\n`);
  });

  test('is a file to keep, with a name', async () => {
    const response = await fetch(`${scene.server.url}/api/v1/vault/pool/transactions/export`, {
      headers: { authorization: `Bearer ${scene.pair.buyer.token}` },
    });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="pool-transactions.csv"');
    expect(response.headers.get('x-correlation-id')).not.toBeNull();
    await response.text();
  });
});

test('an export that fails on its way cuts the connection; one that fails at once is an error', async () => {
  const app = fastify();
  async function* chunks(good: number) {
    for (let nth = 0; nth < good; nth++) yield `${'x'.repeat(100_000)}\r\n`;
    throw new Error('the database went away');
  }
  app.get('/late', async (_request, reply) => {
    await sendCsv(reply, 'x.csv', chunks(3));
    return reply;
  });
  app.get('/early', async (_request, reply) => {
    await sendCsv(reply, 'x.csv', chunks(0));
    return reply;
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    expect((await fetch(`${url}/early`)).status).toBe(500);
    const late = await fetch(`${url}/late`);
    expect(late.status).toBe(200);
    await expect(late.text()).rejects.toThrow();
  } finally {
    await app.close();
  }
});

describe('50,000 movements', () => {
  const count = 50_000;
  let owner: TestOwner;

  beforeAll(async () => {
    owner = await scene.server.owner({ credits: 0 });
    const start = Date.parse('2026-06-01T00:00:00.000Z');
    const at = (nth: number) => new Date(start + nth * 1000);
    // A top-up, and holds of one cent each, which are two movements.
    await plant(scene.server, [topUpOf(owner, count, at(0)), topUpOf(owner, 1, at(0))]);
    for (let nth = 1; nth < count / 2; nth += 1000) {
      const some = Array.from({ length: Math.min(1000, count / 2 - nth) }, (_, more) =>
        holdOf(owner, 1, at(nth + more)),
      );
      await plant(scene.server, some);
    }
  });

  test('come in many pieces, none of which is large, and none is missing or twice', async () => {
    const sizes: number[] = [];
    const ids = new Set<string>();
    let lines = 0;
    let rest = '';
    for await (const chunk of owner.agora.vault.exportPoolTransactions()) {
      sizes.push(Buffer.byteLength(chunk));
      const parts = (rest + chunk).split('\r\n');
      rest = parts.pop() ?? '';
      for (const line of parts.slice(lines === 0 ? 1 : 0)) {
        const [, id, , account] = line.split(',');
        ids.add(`${id} ${account}`);
      }
      lines += parts.length;
    }
    expect([lines, ids.size, rest]).toEqual([count + 1, count, '']);
    expect(sizes.length).toBeGreaterThanOrEqual(50);
    expect(Math.max(...sizes)).toBeLessThan(512 * 1024);
  });

  test('are read from the database no faster than the client takes them', async () => {
    let batches = 0;
    const pool = new Proxy(scene.server.pool, {
      get: (target, key) => {
        const value = Reflect.get(target, key);
        if (key !== 'query') return value;
        return (query: { name?: string }) => {
          if (query.name === 'statements_scan') batches++;
          return target.query(query as never);
        };
      },
    });
    let sent: AsyncIterable<string> | undefined;
    const raw = { header: () => raw, send: (stream: AsyncIterable<string>) => (sent = stream) };
    await exportTransactions(pool, poolOf(uuidOf(owner)), { query: {}, raw: raw as never }, 'x.csv');
    const reader = (sent as AsyncIterable<string>)[Symbol.asyncIterator]();
    for (let taken = 1; taken <= 10; taken++) {
      expect((await reader.next()).value.length).toBeLessThan(512 * 1024);
      // One batch is on its way while another waits to be taken.
      expect(batches).toBeLessThanOrEqual(taken + 2);
    }
    await reader.return?.();
    expect(batches).toBeLessThan(20);
  });

  test('a client that goes away ends the export, and the server goes on', async () => {
    const headers = { authorization: `Bearer ${owner.token}` };
    await new Promise<void>((resolve, reject) => {
      const request = get(`${scene.server.url}/api/v1/vault/pool/transactions/export`, { headers }, (response) => {
        response.once('data', () => {
          response.destroy();
          resolve();
        });
      });
      request.on('error', reject);
    });
    expect((await owner.agora.vault.getPool()).held).toBeGreaterThan(0);
  });

  test('a rare cause among them is found by going on where pages are empty', async () => {
    const found: string[] = [];
    let pages = 0;
    let page = await owner.agora.vault.poolTransactions({ cause: 'top_up', pageSize: 100 });
    for (;;) {
      pages++;
      found.push(...page.data.map((each) => each.cause));
      const next = await page.nextPage();
      if (!next) break;
      page = next;
    }
    expect(found).toEqual(['top_up', 'top_up']);
    expect(pages).toBeGreaterThan(10);
    expect(parse(await textOf(owner.agora.vault.exportPoolTransactions({ cause: 'top_up' })))).toHaveLength(3);
  });

  test('at any instant among them the balance is what the entries up to it make', async () => {
    for (const nth of [0, 1, 17, 12_345, 24_998, 24_999]) {
      const at = new Date(Date.parse('2026-06-01T00:00:00.000Z') + nth * 1000 + 500).toISOString();
      expect(await owner.agora.vault.poolBalance({ at })).toMatchObject({ balance: count + 1 - nth, held: nth });
    }
  });

  test('a time range in the middle of them is found without reading the others', async () => {
    const from = '2026-06-01T03:00:00.000Z';
    const to = '2026-06-01T03:00:10.000Z';
    const { data, pagination } = await owner.agora.vault.poolTransactions({ from, to, pageSize: 100 });
    expect([data.length, pagination.nextCursor]).toEqual([20, null]);
    expect(new Set(data.map((each) => each.createdAt)).size).toBe(10);
  });
});

test('entries whose times are out of order count at their time', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const at = (seconds: number) => new Date(Date.parse('2026-07-01T00:00:00.000Z') + seconds * 1000);
  const order = [10, 5, 300, 20, 299, 0, 301];
  await plant(
    scene.server,
    order.map((seconds, nth) => topUpOf(owner, 2 ** nth, at(seconds))),
  );
  for (const seconds of [-1, 0, 5, 7, 10, 20, 298, 299, 300, 301, 5000]) {
    const wanted = order.reduce((sum, each, nth) => (each <= seconds ? sum + 2 ** nth : sum), 0);
    const { balance } = await owner.agora.vault.poolBalance({ at: at(seconds).toISOString() });
    expect([seconds, balance]).toEqual([seconds, wanted]);
    const { data } = await owner.agora.vault.poolTransactions({ to: at(seconds).toISOString() });
    expect(data).toHaveLength(order.filter((each) => each < seconds).length);
  }
});
