import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { afterAll, expect, test } from 'vitest';
import { partyAt } from '../github/scene.ts';
import { lockOf, pathOf, startNpmRegistry, type TestPackage } from '../support/npm-registry.ts';
import { startPythonIndex, type TestWheel } from '../support/python-index.ts';
import { hire, makePair, minute, serverForFile, startSecondApp } from './scene.ts';

/** Packages that unpack to more than a server takes, and a registry that never answers: nobody is to blame. */

const mib = 1024 ** 2;
const layerBytes = 32 * mib;
const fetchedBytes = mib;
const zeros = '\0'.repeat(40 * mib);
const npm = (name: string, files: Record<string, string>, manifest = {}): TestPackage => ({
  ...{ name, version: '1.0.0', manifest },
  files: { 'index.js': 'exports.word = 7;\n', ...files },
});
/** npm takes no archive that unpacks to more than a thousand times its size. */
const heavy = npm('heavy', {
  numbers: Array.from({ length: 40 * 1024 }, (_, n) => String(n).padEnd(1024, '0')).join(''),
});
const densest = npm('densest', { zeros });
/** Each file has 42 directories above it. */
const many = npm('many', Object.fromEntries(Array.from({ length: 2_300 }, (_, n) => [`${n}/${'a/'.repeat(42)}f`, ''])));
const deep = npm(
  'deep',
  { 'make.js': "require('fs').mkdirSync('d/'.repeat(300), { recursive: true });" },
  { scripts: { install: 'node make.js' } },
);
const small = npm('small', {});
const silent = npm('silent', {});
const wheel: TestWheel = { name: 'heavy', version: '1.0.0', files: { 'heavy.py': 'word = 7\n', 'heavy.bin': zeros } };

const registry = await startNpmRegistry([heavy, densest, many, deep, small, silent]);
const index = await startPythonIndex([wheel]);
afterAll(() => Promise.all([registry.close(), index.close()]));
const server = serverForFile({
  config: {
    DEPENDENCY_REGISTRIES: `npm=${registry.url},pypi=${index.url}`,
    DEPENDENCY_MAX_BYTES: fetchedBytes,
    DEPENDENCY_LAYER_BYTES: layerBytes,
    // So many directories take long on a busy machine.
    DEPENDENCY_TIMEOUT_MS: 280_000,
  },
});

const root = { name: 'shop', version: '1.0.0' };
const inNode = (wanted: TestPackage) => ({
  'package.json': JSON.stringify({ ...root, dependencies: { [wanted.name]: wanted.version } }),
  'package-lock.json': lockOf(root, [wanted]),
  'check.js': `process.exit(require('${wanted.name}').word - require('./word.js'));\n`,
  'word.js': 'module.exports = 6;\n',
});
const inPython = {
  'requirements.txt': 'heavy==1.0.0\n',
  'check.py': 'import heavy\nfrom word import word\nassert heavy.word == word\n',
  'word.py': 'word = 6\n',
};

/** Delivers work that is right, for a check that needs the package. */
async function begun(files: Record<string, string>, url = server.url) {
  const made = await makePair(server);
  const pair = { buyer: partyAt(url, made.buyer), agent: partyAt(url, made.agent) };
  const isNode = 'word.js' in files;
  const checks = [{ name: 'word', command: isNode ? 'node check.js' : 'python3 check.py' }];
  const input = { description: 'Say 7.', files, acceptance: { checks } };
  const tried = await pair.buyer.agora.tasks.tryChecks({ input: { files } });
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = pair.agent.agora;
  await tasks.start(id, { sandboxId: (await sandbox.provision(id)).data.sandboxId });
  return {
    ...{ pair, id, tried },
    packages: (await sandbox.get(id)).data.packages,
    told: (await pair.buyer.agora.tasks.get(id)).inputWarnings,
    async deliver() {
      const [path, content] = isNode ? ['word.js', 'module.exports = 7;\n'] : ['word.py', 'word = 7\n'];
      await sandbox.write(id, { path: path!, content: content! });
      return tasks.complete(id, { output: { result: 'It says 7 now.' } });
    },
  };
}

const bytesBelow = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

const beyond = (lock: string) =>
  `The packages of ${lock} are larger than 32 MiB, 100000 files or 500 places, the most that this server takes. Leave out what the tests do not need.`;

test.each<[string, Record<string, string>, string]>([
  ['a package of npm of too many bytes', inNode(heavy), beyond('package-lock.json')],
  [
    'a package that npm itself takes for a bomb',
    inNode(densest),
    'The packages of package-lock.json cannot be installed: npm error code TAR_ABORT',
  ],
  ['a package of npm of too many directories', inNode(many), beyond('package-lock.json')],
  ['a wheel of too many bytes', inPython, beyond('requirements.txt')],
  [
    'a package whose script nests directories too deeply',
    inNode(deep),
    'The packages of package-lock.json cannot be installed: The sandbox refused /workspace',
  ],
])('%s is in no sandbox and not on the disk, and the agent is not to blame', async (_, files, message) => {
  const task = await begun(files);
  const said = [expect.stringContaining(message)];
  expect(task.tried).toEqual({ checks: [], inputWarnings: said });
  expect(task.packages).toEqual({ installed: [], lacking: said });
  expect(task.told).toEqual(said);
  const { status, assessmentId, creditsCharged } = await task.deliver();
  expect({ status, isPaid: (creditsCharged ?? 0) > 0 }).toEqual({ status: 'completed', isPaid: true });
  const { criteria } = await task.pair.buyer.agora.courts.getAssessment(assessmentId as string);
  expect(criteria.find(({ name }) => name === 'check: word')).toMatchObject({
    score: null,
    evidence: expect.stringMatching(/^Not run: what it needs is not in the sandbox/),
  });
  expect(criteria.find(({ name }) => name === 'check: word')?.evidence).toContain(message);
  const kept = join(server.dataDir, 'dependencies');
  expect(readdirSync(join(kept, 'layers'))).toEqual([]);
  // Archives, as they were sent.
  expect(bytesBelow(kept)).toBeLessThan(fetchedBytes);
});

test('a registry that never answers is waited for; in the end the hold goes back and nobody is to blame', async () => {
  const second = await startSecondApp(server, { config: { ...server.config, DEPENDENCY_TIMEOUT_MS: 1000 } });
  try {
    registry.answers.set(pathOf(silent), () => {});
    const said = ['Fetching the packages of package-lock.json took more than 1 s. Try again later.'];
    const task = await begun(inNode(silent), second.url);
    expect(task.tried.inputWarnings).toEqual(said);
    expect(task.packages).toEqual({ installed: [], lacking: said });
    expect(task.told).toEqual(said);
    const { buyer, agent } = task.pair;
    expect((await buyer.agora.vault.getPool()).held).toBeGreaterThan(0);
    await task.deliver();
    expect((await buyer.agora.tasks.get(task.id)).status).toBe('quality_check');
    const ended = async () => {
      server.clock.advance(10 * minute);
      await second.app.sweep();
      return (await buyer.agora.tasks.get(task.id)).status;
    };
    await expect.poll(ended, { interval: 500 }).toBe('failed');
    expect(await buyer.agora.tasks.get(task.id)).toMatchObject({
      ...{ creditsCharged: 0, assessmentId: null },
      errorMessage: 'The platform could not assess this task. The credits were returned.',
    });
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 100_000, held: 0 });
    const { rows } = await server.pool.query('select failed from reputations where agent_id = $1', [
      toUuid('agent', agent.id),
    ]);
    expect(rows).toEqual([{ failed: 0 }]);
  } finally {
    await second.app.close();
  }
});

test('a setup that nests directories too deeply fails, and the packages are there', async () => {
  const pair = await makePair(server);
  const setup = `node -e "require('fs').mkdirSync('d/'.repeat(300), { recursive: true })"`;
  const input = { description: 'Say 7.', files: inNode(small), environment: { setup } };
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = pair.agent.agora;
  await tasks.start(id, { sandboxId: (await sandbox.provision(id)).data.sandboxId });
  expect((await sandbox.get(id)).data.packages).toEqual({
    installed: ['node_modules'],
    lacking: [expect.stringContaining('input.environment.setup fails: The sandbox refused /workspace')],
  });
});
