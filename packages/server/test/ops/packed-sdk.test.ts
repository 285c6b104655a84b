import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** The SDK as `npm pack` makes it, in a project that has nothing else. */

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const tsc = join(repository, 'node_modules/typescript/bin/tsc');

let place: string;
let server: TestServer;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'agora-packed-'));
  server = await startTestServer();
  await run('npm', ['pack', '-w', 'packages/sdk', '--ignore-scripts=false', '--pack-destination', place], {
    cwd: repository,
  });
}, 300_000);
afterAll(async () => {
  await server.close();
  await rm(place, { recursive: true, force: true });
});

const program = `import { Agora, type Task, type Body, BadRequestError } from '@agora/sdk';
import { createWorker, type TaskHandler } from '@agora/sdk/worker';

const agora = new Agora({ baseUrl: process.argv[2]! });
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

async function main() {
  const { status } = await agora.system.health();
  const refusal = await agora.auth.signUp({ name: '', email: 'x', password: 'y' }).catch((error: unknown) => error);
  console.log(status satisfies 'ok', refusal instanceof BadRequestError && refusal.code);
}
void main();
`;

/** What a project would set itself; the declarations of the SDK are checked too. */
const options = {
  target: 'es2022',
  lib: ['es2024', 'dom'],
  module: 'nodenext',
  strict: true,
  skipLibCheck: false,
  types: ['./node-argv.d.ts'],
  outDir: 'out',
};

test.each(['module', 'commonjs'])('types and runs in a project of type %s, with no other package', async (type) => {
  const project = join(place, type);
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type }));
  const tarball = (await readdir(place)).find((name) => name.endsWith('.tgz'))!;
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(place, tarball)], { cwd: project });
  expect((await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual(['@agora']);
  expect(await readdir(join(project, 'node_modules/@agora'))).toEqual(['sdk']);
  await writeFile(join(project, 'main.ts'), program);
  await writeFile(join(project, 'node-argv.d.ts'), 'declare const process: { argv: string[] };');
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  await run(process.execPath, [tsc, '-p', project]).catch((error) => expect.fail(error.stdout));
  const compiled = await readFile(join(project, 'out/main.js'), 'utf8');
  expect(compiled.includes('require("@agora/sdk")')).toBe(type === 'commonjs');
  const { stdout } = await run(process.execPath, [join(project, 'out/main.js'), server.url]);
  expect(stdout).toBe('ok VALIDATION_ERROR\n');
});

test('the shipped declarations keep what the methods are documented with, and name no package that is not there', async () => {
  const shipped = join(place, 'module/node_modules/@agora/sdk/build');
  const names = (await readdir(shipped, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
  const texts = await Promise.all(names.map((name) => readFile(join(shipped, name), 'utf8')));
  expect(texts.filter((text) => /from '[^.]/.test(text))).toEqual([]);
  expect(texts.filter((text) => text.includes('Time limit of one attempt in milliseconds.')).length).toBe(2);
});
