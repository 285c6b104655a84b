import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { createWorker, type TaskHandler } from '@agora-market/sdk/worker';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../packages/server/test/support/harness.ts';
import { apiReport } from './packed/api-report.ts';
import { type Place, packSdk, repositoryRoot, run, smokePage, smokeProgram, tool, tsc } from './packed/place.ts';
import { bun, deno, node20 } from './runtimes.ts';

/** The SDK as `npm pack` makes it: what it weighs, where it runs, and what other makers' checkers say. */

let place: Place;
let server: TestServer;
beforeAll(async () => {
  [place, server] = await Promise.all([packSdk(), startTestServer()]);
}, 300_000);
afterAll(async () => {
  await server.close();
  await place.remove();
});

const told = {
  status: 'completed',
  output: 'You said: Grüße, 世界 🌍',
  lastEvent: 'complete',
  listed: true,
  error: 'TASK_NOT_FOUND',
  refused: 'The signature was made with another secret, or for another message.',
};

describe('types', () => {
  const program = `import { Agora, type Task, type Body, BadRequestError } from '@agora-market/sdk';
import { createWorker, type TaskHandler } from '@agora-market/sdk/worker';

const agora = new Agora({ baseUrl: 'http://localhost' });
const handler: TaskHandler = async ({ task, sandbox }) => {
  const { exitCode } = await sandbox.exec('make');
  // @ts-expect-error: no such field, so the types of replies are there.
  task.nothing;
  return { result: exitCode satisfies number };
};
export const work = () => createWorker({ agora, handle: handler }).run();
export const price = (task: Task): number | null => task.price;
// @ts-expect-error: no such kind of task, so the types of bodies are there.
export const wrong: Body<'tasks.submit'> = { taskType: 'nonsense', maxBudget: 1, input: {} };
export const health = async () => (await agora.system.health()).status satisfies 'ok';
export const refused = (error: unknown) => error instanceof BadRequestError && error.code;
`;
  /** What a project would set itself; the declarations of the SDK are checked too. */
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: false,
    types: [],
    outDir: 'out',
  };

  test.each(['module', 'commonjs'] as const)('fit a project of type %s that has no other package', async (type) => {
    const files = { 'main.ts': program, 'tsconfig.json': JSON.stringify({ compilerOptions }) };
    const project = await place.project(`types-${type}`, type, files);
    const packages = await readdir(join(project, 'node_modules'));
    expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['@agora-market']);
    expect(await readdir(join(project, 'node_modules/@agora-market'))).toEqual(['sdk']);
    await run(process.execPath, [tsc, '-p', project]).catch((error) => expect.fail(error.stdout));
    const compiled = await readFile(join(project, 'out/main.js'), 'utf8');
    expect(compiled.includes('require("@agora-market/sdk")')).toBe(type === 'commonjs');
  });

  test('keep what the methods are documented with, and name no package that is not there', async () => {
    const shipped = join(place.directory, 'types-module/node_modules/@agora-market/sdk/build');
    const names = (await readdir(shipped, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
    const texts = await Promise.all(names.map((name) => readFile(join(shipped, name), 'utf8')));
    expect(texts.filter((text) => /from '[^.]/.test(text))).toEqual([]);
    expect(texts.filter((text) => text.includes('Time limit of one attempt in milliseconds.')).length).toBe(2);
  });
});

describe('runtimes', () => {
  const runtimes = [
    ['this Node, import', 'module', () => [process.execPath]],
    ['this Node, require', 'commonjs', () => [process.execPath]],
    ['Node 20, import', 'module', () => [node20()]],
    ['Node 20, require', 'commonjs', () => [node20()]],
    ['Bun', 'module', () => [bun()]],
    [
      'Deno',
      'module',
      () => [deno(), 'run', '--no-remote', '--node-modules-dir=manual', '--allow-net', '--allow-read'],
    ],
  ] as const;

  test.each(runtimes)('%s buys and delivers a task', async (name, type, command) => {
    const project = await place.project(name.replaceAll(/\W/g, '-'), type, { 'main.js': smokeProgram(type) });
    const [path, ...args] = command() as [string, ...string[]];
    const { stdout } = await run(path, [...args, join(project, 'main.js'), server.url], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(told);
  });

  test('a page does the same, with nothing of Node', async () => {
    const project = await place.project('page', 'module', { 'page.js': smokePage });
    // It stops at an import of a module of Node.
    const { outputFiles } = await build({
      entryPoints: [join(project, 'page.js')],
      bundle: true,
      platform: 'browser',
      format: 'iife',
      write: false,
    });
    const { fetch, Headers, Request, Response, URL, URLSearchParams, AbortController, AbortSignal } = globalThis;
    const { TextEncoder, TextDecoder, crypto, performance, atob, console } = globalThis;
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const web = { fetch, Headers, Request, Response, URL, URLSearchParams, AbortController, AbortSignal };
    const rest = { TextEncoder, TextDecoder, crypto, performance, atob, console };
    const timers = { setTimeout, clearTimeout, setInterval, clearInterval };
    const page = createContext({ ...web, ...rest, ...timers, server: server.url }) as { told?: Promise<unknown> };
    runInContext(outputFiles[0]?.text as string, page);
    expect(JSON.parse(JSON.stringify(await page.told))).toEqual(told);
    expect(runInContext('typeof process + typeof Buffer + typeof require', page)).toBe('undefined'.repeat(3));
  });
});

test('the README hires as printed', async () => {
  const readme = await readFile(join(repositoryRoot, 'packages/sdk/README.md'), 'utf8');
  const program = /## Hire from a program\n+```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const seller = await server.owner({ credits: 0 });
  const pricing = { model: 'per_task', baseRate: 150, currency: 'USD' } as const;
  const agent = await seller.agent({ capabilities: [{ category: 'bug_fix', tags: [] }], pricing });
  const stop = new AbortController();
  const handle: TaskHandler = async ({ sandbox }) => {
    await sandbox.write(
      'src/total.js',
      'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n',
    );
    return { result: 'The sum began at one; it begins at zero now.' };
  };
  const working = createWorker({ agora: agent.agora, handle, waitSeconds: 1 }).run({ signal: stop.signal });
  try {
    const main = program.replace('http://127.0.0.1:4000', server.url);
    const project = await place.project('readme', 'module', { 'main.js': main });
    const { stdout } = await run(process.execPath, [join(project, 'main.js')]);
    expect(stdout).toMatch(/^status \{ status: 'routing' \}$/m);
    expect(stdout).toMatch(/^completed 150 \{ result: 'The sum began at one/m);
  } finally {
    stop.abort();
    await working;
  }
});

/** Bytes of each entry, minified and compressed: what a page would load. */
test.each([
  ['@agora-market/sdk', 13_000],
  ['@agora-market/sdk/worker', 6_000],
])('%s has at most %i bytes, minified and compressed', async (entry, budget) => {
  const project = await place.project(`size-of-${entry.replaceAll(/\W/g, '')}`, 'module', {});
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${entry}';`, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const bytes = gzipSync(outputFiles[0]?.contents as Uint8Array, { level: 9 }).length;
  console.log(`${entry}: ${bytes} bytes`);
  expect(bytes).toBeLessThanOrEqual(budget);
});

describe('checkers', () => {
  test('publint finds nothing', async () => {
    const { stdout } = await run(tool('publint'), ['--strict', place.tarball]);
    expect(stdout).toContain('All good!');
  });

  test('attw resolves both entries with their types, for import, require and bundlers', async () => {
    // Without the resolution of Node 10, which knows no entry but the main one. The SDK needs Node 20.
    const { stdout } = await run(tool('attw'), [place.tarball, '--profile', 'node16', '--format', 'json']);
    const { analysis, problems } = JSON.parse(stdout);
    const others = Object.values(problems ?? {}).flat() as { resolutionKind?: string }[];
    expect(others.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([]);
    expect(Object.keys(analysis.entrypoints)).toEqual(['.', './worker']);
  });

  // After a change that is meant: npx vitest run interop/sdk-package -u, and say in CHANGELOG.md what changed.
  test.each([
    ['client', 'index.d.ts'],
    ['worker', 'worker/index.d.ts'],
  ])('the report of the %s API is the one that is checked in', async (name, entry) => {
    const report = await apiReport(await place.project(`api-${name}`, 'module', {}), entry);
    await expect(report).toMatchFileSnapshot(join(repositoryRoot, `packages/sdk/api/${name}.api.md`));
  });
});
