import type { Body } from '@agora-market/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSandboxDriver, type SandboxDriver } from '../../src/sandbox/index.ts';
import { makePair, type Pair, refusalOf, serverForFile, startSecondApp } from './scene.ts';

/** What submit and quote say before anything is worked on or paid. */

const server = serverForFile();
let pair: Pair;
beforeAll(async () => {
  pair = await makePair(server, { credits: 1_000_000 });
});

type Input = Body<'tasks.submit'>['input'];
const body = (input: Input, fields: Partial<Body<'tasks.submit'>> = {}) => ({
  taskType: 'general' as const,
  maxBudget: 10,
  agentId: pair.agent.id,
  input,
  ...fields,
});
const checked = { acceptance: { checks: [{ name: 'it runs', command: 'true' }] } };

/** What submitting and quoting warn of, which must be the same. */
async function warningsFor(input: Input, fields: Partial<Body<'tasks.submit'>> = {}) {
  const { agora } = pair.buyer;
  const [task, quote] = [await agora.tasks.submit(body(input, fields)), await agora.tasks.quote(body(input, fields))];
  expect(quote.warnings).toEqual(task.warnings);
  return task.warnings;
}

describe('a misspelt key of the input', () => {
  test.each([
    ['descripton', 'description'],
    ['acceptanceCriteria', 'acceptance'],
    ['file', 'files'],
  ])('%s is taken as it is, and answered with the name that was probably meant: %s', async (key, meant) => {
    const given = { ...(meant !== 'acceptance' && checked), [key]: 'What I want' };
    const warnings = await warningsFor(given);
    expect(warnings[0]).toEqual({ path: `input.${key}`, message: expect.stringContaining(`Did you mean ${meant}?`) });
    const [newest] = (await pair.buyer.agora.tasks.list({ pageSize: 1, include: 'content' })).data;
    expect(newest?.input).toEqual({ ...given, ...(meant !== 'acceptance' && { acceptance: expect.any(Object) }) });
  });

  test('is not suspected of keys that mean something else, nor of those that are right', async () => {
    const right = { description: 'x', tags: ['t'], language: 'de', customer: { id: 7 }, priority: 1, ...checked };
    expect(await warningsFor(right)).toEqual([]);
    // Where the right key is there as well, the other is a key of the buyer's own.
    expect(await warningsFor({ ...right, descriptions: ['a', 'b'] })).toEqual([]);
  });

  test('is looked for among few keys, however many there are, and told of few', async () => {
    const many = Object.fromEntries(Array.from({ length: 9000 }, (_, nth) => [`descripton${nth}`, 0]));
    const warnings = await warningsFor({ ...many, ...checked });
    expect(warnings).toHaveLength(10);
    expect(JSON.stringify(warnings).length).toBeLessThan(3000);
  });

  test('is in the reply of a repeated submission too, kept or rebuilt', async () => {
    const { agora } = pair.buyer;
    const submit = () => agora.tasks.submit(body({ descripton: 'x', ...checked }), { idempotencyKey: 'warned' });
    const first = await submit();
    expect(first.warnings).toHaveLength(1);
    expect(await submit()).toEqual(first);
    await server.pool.query('update idempotency_keys set reply = null, created_at = $1', [new Date(0)]);
    expect(await submit()).toEqual(first);
  });
});

describe('a task that nothing measures', () => {
  const path = 'input.acceptance';

  test('is answered with what that means: any plausible delivery is paid', async () => {
    const warnings = await warningsFor({ description: 'x' });
    expect(warnings).toEqual([
      { path, message: expect.stringMatching(/no checks and no judge.*any plausible delivery is paid/) },
    ]);
    const withRubric = await warningsFor({ description: 'x', acceptance: { rubric: 'Be strict' } });
    expect(withRubric).toEqual([{ path, message: expect.stringContaining('rubric') }]);
    const withFiles = { description: 'x', files: { 'a.js': '1' } };
    const code = await warningsFor(withFiles, { taskType: 'bug_fix' });
    expect(code).toEqual([{ path, message: expect.stringContaining('If the project declares no tests') }]);
  });

  test('is not warned of where checks, a schema or a judge measure it', async () => {
    expect(await warningsFor({ description: 'x', ...checked })).toEqual([]);
    expect(await warningsFor({ description: 'x', acceptance: { schema: { type: 'string' } } })).toEqual([]);
    const config = { ...server.config, JUDGE_BASE_URL: 'http://127.0.0.1:9/v1', JUDGE_MODEL: 'm' };
    const judged = await startSecondApp(server, { config });
    try {
      const there = pair.buyer.agora.withOptions({ baseUrl: judged.url });
      expect((await there.tasks.submit(body({ description: 'x' }))).warnings).toEqual([]);
    } finally {
      await judged.app.close();
    }
  });

  test('a quote that names no input is about nothing yet', async () => {
    expect((await pair.buyer.agora.tasks.quote({ taskType: 'general', agentId: pair.agent.id })).warnings).toEqual([]);
  });
});

describe('a measure that could be better', () => {
  const files = { 'sum.js': '1', 'sum.test.js': '2' };
  const checks = [{ name: 'tests', command: 'npm test' }];
  const warned = (input: Input) => warningsFor({ files, ...input }, { taskType: 'bug_fix' });
  const little = {
    path: 'input.acceptance.checks',
    message: expect.stringContaining('Start the work with `delivered'),
  };

  test('proves little where no check starts the work apart', async () => {
    expect(await warned({ description: 'x', acceptance: { checks } })).toEqual([little]);
    const apart = [{ name: 'sum', command: 'test "$(delivered node sum.js)" = 3' }];
    expect(await warned({ description: 'x', acceptance: { checks: apart } })).toEqual([]);
    const held = { 'held.sh': 'delivered node sum.js | grep 3' };
    const script = { checks: [{ name: 'sum', command: 'sh held.sh' }], files: held };
    expect(await warned({ description: 'x', acceptance: script })).toEqual([]);
    const reads = [{ name: 'it has a sum', command: 'grep -q sum sum.js' }];
    expect(await warned({ description: 'x', acceptance: { checks: reads } })).toEqual([]);
  });

  test('leaves out tests that the description names', async () => {
    const named = async (description: string, tests?: object) =>
      (await warned({ description, acceptance: { checks, ...(tests && { tests }) } })).filter(
        ({ path }) => path === 'input.acceptance.tests',
      );
    expect(await named('Make sum.test.js pass.')).toEqual([
      { path: 'input.acceptance.tests', message: expect.stringContaining('{"mustPass":["sum.test.js"]}') },
    ]);
    expect(await named('Remove division together with its tests in sum.test.js.')).toEqual([
      { path: 'input.acceptance.tests', message: expect.stringContaining('{"mayChange":["sum.test.js"]}') },
    ]);
    expect(await named('Repair sum.js.')).toEqual([]);
    expect(await named('Make sum.test.js pass.', { mustPass: ['sum.test.js'] })).toEqual([]);
  });
});

describe('on a server that can start no sandbox', () => {
  const reason = 'User namespaces are forbidden. Cure: allow them';
  let probes = 0;
  /** It cannot at first, until somebody cures it. */
  let cured = false;

  async function without<R>(use: (url: string) => Promise<R>): Promise<R> {
    const real = createSandboxDriver({ driver: 'auto', installationId: `without-${process.pid}` });
    const driver: SandboxDriver = {
      name: real.name,
      probe: async () => {
        probes++;
        return cured ? real.probe() : { available: false, reason };
      },
      create: (...args) => real.create(...args),
      reclaim: () => real.reclaim(),
    };
    const { app, url } = await startSecondApp(server, { driver });
    try {
      return await use(url);
    } finally {
      await app.close();
      real.forget?.();
    }
  }

  test('what needs one is 503 with the reason, before anything is held; what needs none is served', async () => {
    await without(async (url) => {
      const { tasks, vault } = pair.buyer.agora.withOptions({ baseUrl: url });
      const { held } = await vault.getPool();
      const needing: [string, Input][] = [
        ['input.code', { code: 'x' }],
        ['input.files', { files: { a: 'b' } }],
        ['input.repo', { repo: { url: 'https://example.com/a.git' } }],
        ['input.acceptance.checks', checked],
      ];
      for (const [part, input] of needing) {
        const calls: (() => Promise<object>)[] = [() => tasks.submit(body(input)), () => tasks.quote(body(input))];
        for (const call of calls) {
          const refused = await call().catch((error: Error) => error);
          expect(refused).toMatchObject({
            status: 503,
            code: 'SANDBOX_UNAVAILABLE',
            details: { needs: [part], reason },
          });
          expect((refused as Error).message).toContain(reason);
        }
      }
      expect((await vault.getPool()).held).toBe(held);
      for (const input of [
        {},
        { description: 'A haiku', tags: ['t'], files: {}, own: 1 },
        { acceptance: { schema: {} } },
      ]) {
        expect((await tasks.submit(body(input))).status).toBe('submitted');
        expect((await tasks.quote(body(input))).candidates).toHaveLength(1);
      }
    });
  });

  test('it is asked again, but not by every request, so that a cure shows and costs nobody', async () => {
    await without(async (url) => {
      const { tasks } = pair.buyer.agora.withOptions({ baseUrl: url });
      const submit = () => refusalOf(tasks.submit(body({ code: 'x' })));
      const before = probes;
      const refusals = await Promise.all(Array.from({ length: 20 }, submit));
      expect(new Set(refusals)).toEqual(new Set(['503 SANDBOX_UNAVAILABLE']));
      expect(probes - before).toBe(1);
      cured = true;
      expect(await submit()).toBe('503 SANDBOX_UNAVAILABLE');
      server.clock.advance(5_000);
      expect(await submit()).toBe('no refusal');
      expect(probes - before).toBe(2);
    });
  });
});
