import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packument, pathOf, type TestPackage, tarball } from '../../../test/support/npm-registry.ts';
import { type PackageRegistry, startPackageRegistry } from '../../../test/support/package-registry.ts';
import { createLog, readConfig, systemClock } from '../../platform/index.ts';
import { BwrapDriver } from '../../sandbox/bwrap/bwrap.ts';
import { DEFAULT_LIMITS, encodeArchive } from '../../sandbox/index.ts';
import { createDependencies } from '../dependencies.ts';
import { fileEntry } from '../entries.ts';
import { otherTools } from './other-tools.ts';

/** pnpm and Yarn themselves: each writes a lock outside, and its packages are there in a sandbox without network. */

const rounding: TestPackage = {
  ...{ name: '@made/rounding', version: '1.2.0' },
  files: { 'index.js': 'exports.cents = (dollars) => Math.round(dollars * 100);\n' },
};
const scripted: TestPackage = {
  ...{ name: 'scripted', version: '0.1.0' },
  files: { 'make.js': "require('fs').writeFileSync('made.js', 'exports.word = 7;\\n');\n" },
  manifest: { main: 'made.js', scripts: { install: 'node make.js' } },
};
const runner: TestPackage = {
  ...{
    name: 'runner',
    version: '2.0.0',
    manifest: { bin: { 'run-tests': 'run.js' }, dependencies: { '@made/rounding': '^1.0.0' } },
  },
  files: { 'run.js': "#!/usr/bin/env node\nconsole.log(require('@made/rounding').cents(1.5));\n" },
};
const elsewhere: TestPackage = { name: 'elsewhere', version: '1.0.0', files: {}, manifest: { os: ['win32'] } };
const made = [rounding, scripted, runner, elsewhere];

const home = await mkdtemp(join(tmpdir(), 'agora-other-tools-'));
const driver = new BwrapDriver({ installationId: `test-other-tools-${process.pid}` });
let registry: PackageRegistry;
const tools = Object.entries(otherTools);
let opened = 0;

/** The tools come from npm's registry, once; what they install, from one of this test. */
beforeAll(async () => {
  const sent = new Map<string, Buffer | string>();
  for (const [name, { package: given, version }] of tools) {
    const { stdout, status, stderr } = spawnSync('npm', ['pack', '--silent', `${given}@${version}`], {
      cwd: home,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    const archive = join(home, stdout.trim());
    sent.set(pathOf({ name: given, version }), readFileSync(archive));
    mkdirSync(join(home, name));
    spawnSync('tar', ['-xzf', archive, '--strip-components=1', '-C', join(home, name)]);
  }
  registry = await startPackageRegistry(sent);
  for (const each of made) {
    sent.set(pathOf(each), tarball(each));
    const about = packument(each, registry.url);
    sent.set(`/${each.name}`, JSON.stringify(about));
    for (const slash of ['%2f', '%2F']) sent.set(`/${each.name.replace('/', slash)}`, JSON.stringify(about));
    sent.set(`/${each.name}/${each.version}`, JSON.stringify(about.versions[each.version]));
  }
}, 120_000);
afterAll(async () => {
  driver.forget();
  await registry.close();
  await rm(home, { recursive: true });
});

const filesFor = (packageManager: string): Record<string, string> => ({
  'package.json': JSON.stringify({
    packageManager,
    ...{ name: 'shop', version: '1.0.0', private: true, workspaces: ['packages/*'], scripts: { test: 'run-tests' } },
    dependencies: { scripted: '0.1.0' },
    devDependencies: { runner: '2.0.0' },
    optionalDependencies: { elsewhere: '1.0.0' },
    pnpm: { onlyBuiltDependencies: ['scripted'] },
  }),
  'pnpm-workspace.yaml': 'packages:\n  - packages/*\nonlyBuiltDependencies:\n  - scripted\n',
  'packages/a/package.json': JSON.stringify({
    name: 'a',
    version: '1.0.0',
    dependencies: { '@made/rounding': '1.2.0' },
  }),
  'packages/a/index.js': "console.log(require('@made/rounding').cents(2));\n",
});

/** The files with the lock that the tool writes for them. */
async function withLock(
  name: string,
  { program, file, version }: { program: string; file: string; version: string },
): Promise<Record<string, string>> {
  const directory = join(home, `${name}-project`);
  const files = filesFor(`${program}@${version}`);
  const lock = program === 'pnpm' ? 'pnpm-lock.yaml' : 'yarn.lock';
  const all: Record<string, string> = program === 'pnpm' ? files : { ...files, 'yarn.lock': '' };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const told = program === 'pnpm' ? ['--lockfile-only'] : name === 'yarn1' ? ['--ignore-scripts'] : [];
  // Not at once: this process answers for the registry.
  await promisify(execFile)('node', [join(home, name, file), 'install', ...told], {
    ...{ cwd: directory, timeout: 60_000 },
    env: {
      ...{ PATH: process.env.PATH, HOME: join(home, `${name}-home`) },
      ...{ npm_config_registry: `${registry.url}/`, YARN_REGISTRY: registry.url },
      ...{ YARN_NPM_REGISTRY_SERVER: registry.url, YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1' },
      ...{ YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_SCRIPTS: 'false', YARN_ENABLE_TELEMETRY: '0' },
    },
  }).catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  const written = readFileSync(join(directory, lock), 'utf8');
  rmSync(directory, { recursive: true });
  return { ...files, [lock]: written };
}

const limits = { ...DEFAULT_LIMITS, diskBytes: 4e8, memoryBytes: 2e9, maxExecMs: 120_000 };

/** What a command says where the project lies with the packages of its lock. */
async function says(
  name: string,
  project: Record<string, string>,
  { scripts, command }: { scripts: 'on' | 'off'; command: string },
): Promise<{ stdout: string; stderr: string }> {
  const { prepare } = await createDependencies({
    ...{ clock: systemClock, log: createLog('silent'), stopping: new AbortController().signal, book: () => {} },
    config: readConfig({
      DEPENDENCY_REGISTRIES: `npm=${registry.url}`,
      DEPENDENCY_SCRIPTS: scripts,
      AGORA_DATA_DIR: join(home, 'data'),
    }),
    disk: { shortage: async () => null, requireRoom: async () => {}, noteFull: () => {} },
    openSandbox: () => driver.create(`install-${opened++}`, limits),
  });
  const content = Object.entries(project).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  const { layer, problems } = await prepare({ ownerId: name, isOwners: true, files: content, start: {}, setup: null });
  expect(problems).toEqual([]);
  expect(layer!.paths).toContain('node_modules');
  const box = await driver.create(`run-${opened++}`, limits, { layer: layer! });
  try {
    await box.importWorkspace(
      await encodeArchive(Object.entries(project).map(([path, text]) => fileEntry(path, text))),
    );
    const { stdout, stderr } = await box.exec({ command, timeoutMs: 60_000 });
    return { stdout, stderr };
  } finally {
    await box.destroy();
  }
}

test.each(tools)('%s', async (name, tool) => {
  const project = await withLock(name, tool);
  const { program } = tool;
  const command = [
    `${program} --version`,
    `${program} run test | grep -x 150`,
    'node packages/a/index.js',
    `node -p "require('scripted').word"`,
    'ls node_modules/elsewhere 2> /dev/null',
    // What commands leave in a workspace would be delivered.
    'ls -A',
  ].join('; ');
  const left = [
    '.agora-javascript',
    'node_modules',
    ...Object.keys(project).filter((path) => !path.includes('/')),
    'packages',
  ];
  expect(await says(name, project, { scripts: 'on', command })).toEqual({
    stdout: [tool.version, '150', '200', '7', ...left.sort(), ''].join('\n'),
    stderr: expect.any(String),
  });
  // The packages are there, and nothing that the script of one would have made.
  const withoutScripts = `${program} run test | grep -x 150; ls node_modules/scripted`;
  expect(await says(name, project, { scripts: 'off', command: withoutScripts })).toEqual({
    stdout: '150\nmake.js\npackage.json\n',
    stderr: expect.any(String),
  });
});
