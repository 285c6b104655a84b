import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../packages/server/test/support/harness.ts';

/** docs/openapi.json as other makers' programs read it. */

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const document = join(here, '../docs/openapi.json');
const bin = (name: string) => join(here, 'node_modules/.bin', name);
const tsc = join(here, '../node_modules/typescript/bin/tsc');

let place: string;
let server: TestServer;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'agora-openapi-'));
  server = await startTestServer();
});
afterAll(async () => {
  await server.close();
  await rm(place, { recursive: true, force: true });
});

test('Redocly finds nothing in it, by its recommended rules and the exceptions in redocly.yaml', async () => {
  // No telemetry, and no look for a new version.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const lint = ['lint', document, '--config', join(here, 'redocly.yaml'), '--format', 'json'];
  const { stdout } = await run(bin('redocly'), lint, { env }).catch((error) => error);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});

test('Spectral finds nothing in it, by all recommended rules of OpenAPI', async () => {
  const spectral = new Spectral();
  spectral.setRuleset(oas);
  expect(await spectral.run(JSON.parse(await readFile(document, 'utf8')))).toEqual([]);
});

/** Calls the API with nothing but fetch and the types that openapi-typescript makes. */
const program = `import type { paths } from './api.js';

type Post<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { 'application/json': infer B } } } } ? B : never;
type Created<P extends keyof paths> = paths[P] extends
  { post: { responses: { 201: { content: { 'application/json': infer R } } } } } ? R : never;
type Got<P extends keyof paths> = paths[P] extends
  { get: { responses: { 200: { content: { 'application/json': infer R } } } } } ? R : never;

const server = process.argv[2]!;
async function post<P extends keyof paths>(path: P, body: Post<P>, token?: string): Promise<Created<P>> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
  const response = await fetch(server + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(await response.text());
  return await response.json() as Created<P>;
}
async function get<P extends keyof paths>(path: P, token: string): Promise<Got<P>> {
  return await (await fetch(server + path, { headers: { authorization: 'Bearer ' + token } })).json() as Got<P>;
}

const session = await post('/api/v1/auth/sign-up', { name: 'Ada', email: 'ada@example.com', password: 'correct horse' });
const { agent } = await post('/api/v1/agents', {
  displayName: 'Typed', framework: 'custom', model: 'm', description: 'Made by a typed call',
  capabilities: [{ category: 'general', tags: [] }],
  pricing: { model: 'per_task', baseRate: 100, currency: 'USD' },
}, session.token!);
const pool = await get('/api/v1/vault/pool', session.token!);
const facets = await get('/api/v1/agents/search/facets', session.token!);
console.log(agent.status satisfies string, pool.balance satisfies number, facets.facets.category.general satisfies number);

// @ts-expect-error: no such kind of task.
export const wrong: Post<'/api/v1/tasks'> = { taskType: 'nonsense', maxBudget: 1, input: {} };
// @ts-expect-error: no such field.
pool.nothing;
`;

test('openapi-typescript makes types of it, with which a program compiles and runs', async () => {
  await run(bin('openapi-typescript'), [document, '--output', join(place, 'api.ts')]);
  await writeFile(join(place, 'package.json'), '{ "type": "module" }');
  await writeFile(join(place, 'node.d.ts'), 'declare const process: { argv: string[] };');
  await writeFile(join(place, 'main.ts'), program);
  const options = {
    target: 'es2022',
    lib: ['es2022', 'dom'],
    module: 'nodenext',
    strict: true,
    types: [],
    outDir: 'out',
  };
  const files = ['main.ts', 'node.d.ts'];
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
  await run(process.execPath, [tsc, '-p', place]).catch((error) => expect.fail(error.stdout));
  const { stdout } = await run(process.execPath, [join(place, 'out/main.js'), server.url]);
  expect(stdout).toBe('active 0 1\n');
});
