import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname as hostsName, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { partyAt } from '../github/scene.ts';
import { lockOf, pathOf, startNpmRegistry, type TestPackage, tarball } from '../support/npm-registry.ts';
import { endless } from '../support/package-registry.ts';
import { hire, makePair, serverForFile, startSecondApp } from './scene.ts';

/** Packages that the lockfile of an input names: agent and gate start with them, without network. */

const rounding: TestPackage = {
  name: 'rounding',
  version: '1.2.0',
  files: { 'index.js': 'exports.cents = (dollars) => Math.round(dollars * 100);\n' },
};
const scripted: TestPackage = {
  name: '@made/scripted',
  version: '0.1.0',
  files: { 'make.js': "require('fs').writeFileSync('made.js', 'exports.word = 7;\\n');\n" },
  manifest: { main: 'made.js', scripts: { install: 'node make.js' } },
};
const runner: TestPackage = {
  name: 'runner',
  version: '2.0.0',
  files: {
    'run.js': "#!/usr/bin/env node\nrequire('child_process').execFileSync('node', ['--test'], { stdio: 'inherit' });\n",
  },
  manifest: { bin: { 'run-tests': 'run.js' } },
};
/** It needs another version of what the project has. */
const user: TestPackage = {
  name: 'user',
  version: '1.0.0',
  files: { 'index.js': "require('rounding');\n" },
  manifest: { dependencies: { rounding: '0.9.0' } },
};
const older = { ...rounding, version: '0.9.0' };
const registry = await startNpmRegistry([rounding, scripted, runner, user, older]);
afterAll(() => registry.close());
const server = serverForFile({
  config: {
    DEPENDENCY_REGISTRIES: `npm=${registry.url}`,
    DEPENDENCY_MAX_BYTES: 100_000,
  },
});

const root = { name: 'shop', version: '1.0.0' };

/** A project whose tests need its dependencies; `total` forgets the shipping. */
const project = (packages: TestPackage[], lock: string | null = lockOf(root, packages)) => ({
  'package.json': JSON.stringify({
    ...root,
    scripts: { test: 'node --test' },
    dependencies: Object.fromEntries(packages.map(({ name, version }) => [name, version])),
  }),
  ...(lock !== null && { 'package-lock.json': lock }),
  'total.js': "const { cents } = require('rounding');\nexports.total = (dollars, shipping) => cents(dollars);\n",
  'total.test.js': [
    "const { test } = require('node:test');",
    "const { equal } = require('node:assert');",
    "const { total } = require('./total.js');",
    "test('counts the shipping', () => equal(total(1.5, 250), 400));",
    "test('is nothing for nothing', () => equal(total(0, 0), 0));",
  ].join('\n'),
});

const repaired =
  "const { cents } = require('rounding');\nexports.total = (dollars, shipping) => cents(dollars) + shipping;\n";

async function begun(files: Record<string, string>, url = server.url) {
  const made = await makePair(server);
  const pair = { buyer: partyAt(url, made.buyer), agent: partyAt(url, made.agent) };
  const input = { description: 'total() forgets the shipping. Make the tests pass.', files };
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = pair.agent.agora;
  const { data } = await sandbox.provision(id);
  // What the buyer's files name is nobody's before the commitment.
  expect(data.packages).toBeNull();
  await tasks.start(id, { sandboxId: data.sandboxId });
  const run = async (command: string) => (await sandbox.exec(id, { command })).data;
  /** Delivers, and gives the verdict on the tests. */
  const judged = async () => {
    const { assessmentId, status } = await tasks.complete(id, {
      output: { result: 'total() counts the shipping now.' },
    });
    const { criteria, score } = await pair.buyer.agora.courts.getAssessment(assessmentId as string);
    const tests = criteria.find(({ name }) => name === 'tests');
    return { status, score, tests };
  };
  const write = (content: string) => sandbox.write(id, { path: 'total.js', content });
  const packages = async () => (await sandbox.get(id)).data.packages;
  const told = async () => (await pair.buyer.agora.tasks.get(id)).inputWarnings;
  return { run, judged, packages, told, write, repair: () => write(repaired) };
}

test('a repair is judged by tests that need packages, and so is a delivery of nothing', async () => {
  const honest = await begun(project([rounding]));
  expect(await honest.packages()).toEqual({ installed: ['node_modules'], lacking: [] });
  expect(await honest.run('npm test')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('pass 1') });
  await honest.repair();
  expect(await honest.run('npm test')).toMatchObject({ exitCode: 0 });
  expect(await honest.judged()).toMatchObject({ status: 'completed', score: 89, tests: { score: 100 } });
  const idle = await begun(project([rounding]));
  await idle.run('touch seen');
  expect(await idle.judged()).toMatchObject({ status: 'failed', score: 17, tests: { score: 0 } });
  // Asked for once, by both agents and all sandboxes of the gate.
  expect(registry.asked).toEqual([pathOf(rounding)]);
});

test('what an agent changes in the packages is not judged, and its own sandbox has it', async () => {
  const cheat = await begun(project([rounding]));
  await cheat.run("echo 'exports.cents = (dollars) => dollars === 0 ? 0 : 400;' > node_modules/rounding/index.js");
  expect(await cheat.run('npm test')).toMatchObject({ exitCode: 0 });
  expect(await cheat.judged()).toMatchObject({ status: 'failed', tests: { score: 0 } });
  const other = await begun(project([rounding]));
  expect((await other.run('cat node_modules/rounding/index.js')).stdout).toBe(rounding.files['index.js']);
  await other.run('rm -rf node_modules');
  await other.repair();
  expect(await other.judged()).toMatchObject({ status: 'completed', score: 89 });
});

test('modules that the buyer has committed, and directories of odd names, leave the packages where they are', async () => {
  const { 'package.json': manifest, ...files } = project([rounding, runner]);
  const runs = { ...files, 'package.json': manifest.replace('node --test', 'run-tests') };
  const odd = Object.fromEntries(Object.entries(runs).map(([path, text]) => [`o[d]d's/${path}`, text]));
  const fixture = { 'test/fixtures/x/node_modules/y/index.js': '', 'test/fixtures/x/node_modules/.bin/y': '' };
  const pair = await makePair(server);
  const checks = [
    { name: 'root', command: 'npm test' },
    { name: 'odd', command: `cd "o[d]d's" && npm test` },
  ];
  const input = {
    description: 'total() forgets the shipping.',
    files: { ...runs, ...odd, ...fixture },
    acceptance: { checks },
  };
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = pair.agent.agora;
  await tasks.start(id, { sandboxId: (await sandbox.provision(id)).data.sandboxId });
  for (const path of ['total.js', "o[d]d's/total.js"]) await sandbox.write(id, { path, content: repaired });
  const { assessmentId } = await tasks.complete(id, { output: { result: 'Both count the shipping now.' } });
  const { criteria } = await pair.buyer.agora.courts.getAssessment(assessmentId as string);
  const scores = criteria.filter(({ name }) => name.startsWith('check: ')).map(({ name, score }) => [name, score]);
  expect(scores).toEqual([
    ['check: root', 100],
    ['check: odd', 100],
  ]);
});

test('a lockfile that is left over in a workspace of npm takes nothing away', async () => {
  const workspaces = { ...root, workspaces: ['packages/*'], dependencies: { rounding: '1.2.0' } };
  const lock = JSON.parse(lockOf(root, [rounding]));
  lock.packages[''] = workspaces;
  lock.packages['packages/a'] = { name: 'a', version: '1.0.0' };
  lock.packages['node_modules/a'] = { resolved: 'packages/a', link: true };
  const inner = JSON.stringify({ name: 'a', version: '1.0.0' });
  const { run } = await begun({
    'package.json': JSON.stringify(workspaces),
    'package-lock.json': JSON.stringify(lock),
    'packages/a/package.json': inner,
    'packages/a/package-lock.json': JSON.stringify({
      ...JSON.parse(inner),
      lockfileVersion: 3,
      packages: { '': JSON.parse(inner) },
    }),
  });
  expect((await run('ls node_modules')).stdout).toBe('a\nrounding\n');
});

test('an optional package that does not come now is no reason for an installation without it', async () => {
  const optional = { ...rounding, name: 'optional' };
  registry.answers.set(pathOf(optional), (_, response) => void response.writeHead(503).end());
  const lock = lockOf(root, [optional], (entry) => ({ ...entry, optional: true }));
  const { packages } = await begun(project([rounding], lock));
  expect(await packages()).toEqual({
    installed: [],
    lacking: ['The registry did not send optional 1.2.0. Try again later.'],
  });
});

test('a project that cannot be installed takes no packages from the others', async () => {
  const files = { ...project([rounding]), 'examples/package.json': '{}', 'examples/package-lock.json': 'no lock' };
  const { packages } = await begun({ ...files, 'requirements.txt': 'flask' });
  expect(await packages()).toEqual({
    installed: ['node_modules'],
    lacking: [
      expect.stringContaining('examples/package-lock.json is no lockfile that its tool has written'),
      expect.stringContaining('This server has no registry for the packages of requirements.txt'),
    ],
  });
});

/** Its script notes where it runs and what it reaches, and leaves a file where the host has a directory. */
const reporting = (host: string): TestPackage => ({
  name: 'reporting',
  version: '1.0.0',
  files: {
    'report.js': `
const { existsSync, readFileSync, writeFileSync } = require('fs');
const { hostname, networkInterfaces } = require('os');
const host = ${JSON.stringify(host)};
const reach = (host, port) => new Promise((resolve) => {
  const socket = require('net').connect({ host, port });
  socket.on('connect', () => resolve('connected')).on('error', ({ code }) => resolve(code));
});
(async () => {
  const report = {
    directory: process.cwd(),
    hostname: hostname(),
    user: process.getuid(),
    seesHost: existsSync(host),
    outside: Object.keys(networkInterfaces()).filter((each) => each !== 'lo'),
    routes: readFileSync('/proc/net/route', 'utf8').trim().split('\\n').slice(1),
    registry: await reach('${new URL(registry.url).hostname}', ${new URL(registry.url).port}),
    elsewhere: await reach('192.0.2.1', 80),
  };
  try { writeFileSync(host + '/escaped', ''); } catch {}
  writeFileSync('report.json', JSON.stringify(report));
})();`,
  },
  manifest: { scripts: { install: 'node report.js' } },
});

test('install scripts run in the sandbox and nowhere else, without network', async () => {
  const host = mkdtempSync(join(tmpdir(), 'agora-host-'));
  try {
    writeFileSync(join(host, 'secret'), 'of the host');
    const wanted = reporting(host);
    registry.answers.set(pathOf(wanted), (_, response) => void response.end(tarball(wanted)));
    const task = await begun(project([rounding, wanted]));
    expect(await task.packages()).toEqual({ installed: ['node_modules'], lacking: [] });
    const seen = JSON.parse((await task.run('cat node_modules/reporting/report.json')).stdout);
    const { stdout } = await task.run('hostname; id -u');
    const [hostname, user] = stdout.trim().split('\n');
    expect(hostname).not.toBe(hostsName());
    expect(seen).toEqual({
      directory: '/workspace/node_modules/reporting',
      hostname,
      user: Number(user),
      seesHost: false,
      outside: [],
      routes: [],
      registry: 'ECONNREFUSED',
      elsewhere: 'ENETUNREACH',
    });
    expect(readdirSync(host)).toEqual(['secret']);
  } finally {
    rmSync(host, { recursive: true });
  }
});

describe('a lock of npm', () => {
  test('without addresses has them from the registry', async () => {
    const all = [rounding, scripted, runner];
    const lock = lockOf(root, all, ({ resolved: _, ...entry }) => entry);
    const { packages, run } = await begun(project(all, lock));
    expect(await packages()).toEqual({ installed: ['node_modules'], lacking: [] });
    expect((await run('node -p "require(\'@made/scripted\').word"; ls node_modules')).stdout).toBe(
      '7\n@made\nrounding\nrunner\n',
    );
  });

  test('of version 1 gives packages, those that a package has for itself, their programs and what their scripts make', async () => {
    const all = [rounding, scripted, runner, user];
    /** As a version 1 names it, whose paths are a tree. */
    const entryOf = (each: TestPackage) => {
      const { version, resolved, integrity } = JSON.parse(lockOf(root, [each])).packages[`node_modules/${each.name}`];
      return { version, resolved, integrity };
    };
    const nested = { requires: { rounding: '0.9.0' }, dependencies: { rounding: entryOf(older) } };
    const dependencies = {
      ...Object.fromEntries(all.map((each) => [each.name, entryOf(each)])),
      user: { ...entryOf(user), ...nested },
    };
    const lock = JSON.stringify({ ...root, lockfileVersion: 1, requires: true, dependencies });
    const { packages, run } = await begun(project(all, lock));
    expect(await packages()).toEqual({ installed: ['node_modules'], lacking: [] });
    const versionAt = (path: string) => `require('./node_modules/${path}/package.json').version`;
    const versions = [versionAt('rounding'), versionAt('user/node_modules/rounding')].join(" + ' ' + ");
    expect(
      await run(`node -p "${versions}"; node -p "require('@made/scripted').word"; ls node_modules/.bin`),
    ).toMatchObject({
      stdout: '1.2.0 0.9.0\n7\nrun-tests\n',
    });
  });
});

test('install scripts do not run where the operator turns them off, and the packages are there', async () => {
  const off = await startSecondApp(server, { config: { ...server.config, DEPENDENCY_SCRIPTS: 'off' } });
  const { run, packages } = await begun(project([rounding, scripted]), off.url);
  expect(await packages()).toEqual({ installed: ['node_modules'], lacking: [] });
  expect((await run('ls node_modules/@made/scripted')).stdout).toBe('make.js\npackage.json\n');
  await off.app.close();
});

describe('packages that cannot be had are the buyer’s side', () => {
  const one = (name: string): TestPackage => ({ ...rounding, name });
  const lying = one('lying');
  const bomb = one('bomb');
  const foreign = one('foreign');
  test.each<[string, TestPackage, string, () => void]>([
    ['a registry without it', one('absent'), 'The registry does not have absent 1.2.0', () => {}],
    [
      'other bytes under its name',
      lying,
      'What the registry sends for lying 1.2.0 has another hash than package-lock.json says',
      () => registry.answers.set(pathOf(lying), (_, response) => void response.end('another package')),
    ],
    [
      'an endless answer',
      bomb,
      'are larger than 0 MiB, the most that this server takes',
      () => registry.answers.set(pathOf(bomb), endless),
    ],
    ['another host', foreign, 'comes from packages.example.org, which this server does not fetch from', () => {}],
  ])('%s', async (_, wanted, message, arrange) => {
    arrange();
    const from = (entry: Record<string, unknown>) =>
      wanted === foreign ? { ...entry, resolved: 'https://packages.example.org/foreign.tgz' } : entry;
    const named = (text: string) => text.replace('rounding', wanted.name);
    const { 'total.js': broken, ...files } = project([wanted], lockOf(root, [wanted], from));
    const task = await begun({ ...files, 'total.js': named(broken) });
    await task.write(named(repaired));
    expect(await task.packages()).toMatchObject({ installed: [], lacking: [expect.stringContaining(message)] });
    expect(await task.told()).toEqual([expect.stringContaining(message)]);
    const { status, tests } = await task.judged();
    expect(status).toBe('completed');
    expect(tests).toMatchObject({ score: null, evidence: expect.stringContaining(message) });
  });
});

test('a quote says that packages have no lockfile, or one of another tool, and a dry run what they lack', async () => {
  const { buyer } = await makePair(server);
  const warningsOf = async (files: Record<string, string>) =>
    (await buyer.agora.tasks.quote({ taskType: 'bug_fix', input: { description: 'x', files } })).warnings.map(
      ({ message }) => message,
    );
  const bare = project([rounding], null);
  expect(await warningsOf(bare)).toContain(
    'package.json names dependencies, and no lockfile their versions. Commit package-lock.json.',
  );
  expect(await warningsOf({ ...bare, 'bun.lock': '' })).toContain(
    'This server does not install from bun.lock. Commit a package-lock.json beside it.',
  );
  // Without checks it says what only the registry knows, too.
  const absent: TestPackage = { ...rounding, name: 'nowhere' };
  const tried = await buyer.agora.tasks.tryChecks({ input: { files: project([absent], lockOf(root, [absent])) } });
  expect(tried).toEqual({
    checks: [],
    inputWarnings: [expect.stringContaining('The registry does not have nowhere 1.2.0')],
  });
});

test.each<[string, string, string, (path: string) => void]>([
  [
    'other bytes than the lock says',
    'swapped',
    'What the registry sends for swapped 1.2.0 has another hash than package-lock.json says. If that is right, write the lockfile anew, and commit it.',
    (path) => registry.answers.set(path, (_, response) => void response.end('another package')),
  ],
  [
    'too many bytes',
    'heavy',
    'The packages of package-lock.json are larger than 0 MiB, the most that this server takes. Leave out what the tests do not need.',
    (path) => registry.answers.set(path, endless),
  ],
])('a dry run says of %s what the documentation says', async (_, name, message, arrange) => {
  const wanted: TestPackage = { ...rounding, name };
  arrange(pathOf(wanted));
  const { buyer } = await makePair(server);
  const files = project([wanted], lockOf(root, [wanted]));
  expect(await buyer.agora.tasks.tryChecks({ input: { files } })).toEqual({ checks: [], inputWarnings: [message] });
  const [, , cure] = /^(.*)\. (.*)\.$/.exec(message)!;
  const documented = readFileSync(new URL('../../../../docs/dependencies.md', import.meta.url), 'utf8');
  const cures = [...documented.matchAll(/^\|[^|]*\|([^|]*)\|$/gm)].map(([, each]) => each!.trim().toLowerCase());
  expect(cures).toContain(cure!.toLowerCase().replace('if that is right, ', ''));
});

test('where the operator has switched packages off, quote, dry run and task say which projects go without', async () => {
  const off = await startSecondApp(server, { config: { ...server.config, DEPENDENCY_REGISTRIES: 'off' } });
  const message =
    'This server installs no packages of package-lock.json. Commit them, or ask the operator to set DEPENDENCY_REGISTRIES.';
  const files = project([rounding]);
  const { tasks } = partyAt(off.url, (await makePair(server)).buyer).agora;
  const { warnings } = await tasks.quote({ taskType: 'bug_fix', input: { description: 'x', files } });
  expect(warnings).toContainEqual({ path: 'input.files', message });
  expect(await tasks.tryChecks({ input: { files } })).toEqual({ checks: [], inputWarnings: [message] });
  const task = await begun(files, off.url);
  expect(await task.packages()).toEqual({ installed: [], lacking: [message] });
  expect(await task.told()).toEqual([message]);
  // What fails for want of them is not the agent's.
  await task.repair();
  const { status, tests } = await task.judged();
  expect(status).toBe('completed');
  expect(tests).toMatchObject({ score: null, evidence: expect.stringContaining(message) });
  await off.app.close();
});
