import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  composerFiles,
  composerLock,
  composerPath,
  inputOf,
  type TestPhpPackage,
} from '../../test/support/composer.ts';
import { cargoLock, crateFiles, cratePath, type TestCrate } from '../../test/support/crates.ts';
import { gemFiles, gemLock, gemPath, type TestGem } from '../../test/support/gems.ts';
import { goSum, moduleFiles, modulePath, type TestModule } from '../../test/support/go-modules.ts';
import { openInstalling } from '../../test/support/installing.ts';
import { jarFiles, jarPath, lockedJar, mavenLock, type TestJar } from '../../test/support/maven.ts';
import { lockOf, pathOf, type TestPackage, tarball } from '../../test/support/npm-registry.ts';
import { endless, startPackageRegistry } from '../../test/support/package-registry.ts';
import type { PrivateRegistry } from './private-registries/registries.ts';

/** What is fetched for each ecosystem, what is refused, and what a sandbox is given. The tools themselves are not run. */

const word: TestModule = { module: 'example.com/Made/word', version: 'v1.2.0', files: { 'word.go': 'package word\n' } };
const unused: TestModule = { ...word, version: 'v1.1.0' };
const serif: TestCrate = { name: 'serif', version: '0.3.1', files: { 'src/lib.rs': 'pub fn width() -> u8 { 7 }\n' } };
const letter: TestGem = { name: 'letter', version: '1.0.0', platform: 'x86_64-linux-gnu', files: {} };
const forMac: TestGem = { ...letter, platform: 'arm64-darwin' };
const gems = [letter, forMac];
const plainGem: TestGem = { name: 'word', version: '1.0.0', files: {} };

const money: TestPhpPackage = { name: 'made/money', version: '1.4.0', files: { 'a.php': '' } };

const width: TestJar = { id: 'com.made:width:1.0.0', content: 'the archive of width' };
const compiler: TestJar = { id: 'org.apache.maven.plugins:maven-compiler-plugin:3.10.1', content: 'that of a plugin' };
const utils: TestJar = { id: 'org.codehaus.plexus:plexus-utils:1.1', content: 'what Maven gives to plugins' };

const cents: TestPackage = { name: '@made/cents', version: '1.2.0', files: { 'index.js': '' } };
const sha512 = createHash('sha512').update(tarball(cents)).digest('base64');

const sent = new Map<string, Buffer | string>([
  ...moduleFiles([word, unused]),
  ...crateFiles([serif]),
  ...gemFiles([...gems, plainGem]),
  ...composerFiles([money]),
  ...jarFiles([width, compiler, utils]),
  [pathOf(cents), tarball(cents)],
  ['/@made/cents/1.2.0', JSON.stringify({ dist: { integrity: `sha512-${sha512}` } })],
]);
const registry = await startPackageRegistry(sent);
const home = await mkdtemp(join(tmpdir(), 'agora-ecosystems-'));
afterAll(async () => {
  await registry.close();
  await rm(home, { recursive: true });
});

interface Scene {
  name: string;
  /** Of the registry. */
  kind: string;
  /** What the sandbox's programs print. */
  versions: string;
  tool: string;
  files: Record<string, string>;
  lock: string;
  package: string;
  /** Where the registry has it. */
  path: string;
  asked: string[];
  /** Files of `/input`. */
  inputs: string[];
  /** A file that the tools make. */
  made: string;
  environment: Record<string, string>;
  /** The tool itself, which this registry has not. */
  lacks?: string;
}

const goMod = `module example.com/shop\n\ngo 1.21\n\nrequire (\n\texample.com/Made/word v1.2.0 // indirect\n)\n`;
const scenes: Scene[] = [
  {
    ...{ name: 'go', kind: 'go', versions: 'go version go1.24.0 linux/amd64', tool: 'go', lock: 'go.sum' },
    files: { 'go.mod': goMod, 'go.sum': goSum([unused, word]) },
    ...{ package: 'example.com/Made/word v1.2.0', path: modulePath(word, 'zip') },
    // Of a version that go.mod does not name, other modules may ask for the go.mod alone.
    asked: [modulePath(unused, 'mod'), modulePath(word, 'mod'), modulePath(word, 'zip')],
    inputs: [
      'go-imported/0',
      ...['v1.1.0.mod', 'v1.2.0.info', 'v1.2.0.mod', 'v1.2.0.zip'].map(
        (name) => `go/example.com/!made/word/@v/${name}`,
      ),
    ],
    made: '.agora-go/mod/x',
    environment: { GOPROXY: 'off', GOMODCACHE: '/workspace/.agora-go/mod' },
  },
  {
    ...{ name: 'cargo', kind: 'cargo', versions: 'cargo 1.90.0\nrustc 1.90.0', tool: 'cargo', lock: 'Cargo.lock' },
    files: { 'Cargo.toml': '[package]\n', 'Cargo.lock': cargoLock([serif]) },
    ...{ package: 'serif 0.3.1', path: cratePath(serif) },
    asked: [cratePath(serif)],
    inputs: ['cargo/serif-0.3.1.crate', 'cargo/serif-0.3.1.json'],
    made: '.agora-cargo/crates/serif-0.3.1/Cargo.toml',
    environment: { CARGO_HOME: '/workspace/.agora-cargo', CARGO_NET_OFFLINE: 'true' },
  },
  {
    ...{ name: 'gem', kind: 'gem', versions: '3.1.2\nx86_64-linux\nBundler version 2.3.15', tool: 'ruby with bundler' },
    files: { Gemfile: "gem 'letter'\n", 'Gemfile.lock': gemLock(gems) },
    ...{ lock: 'Gemfile.lock', package: 'letter 1.0.0', path: gemPath(letter) },
    asked: [gemPath(letter)],
    inputs: ['gems/letter-1.0.0-x86_64-linux-gnu.gem', 'install-gems.rb'],
    made: '.agora-gems/ruby/3.1.0/specifications/letter.gemspec',
    environment: { BUNDLE_PATH: '/workspace/.agora-gems', BUNDLE_APP_CONFIG: '/workspace/.agora-gems' },
  },
  {
    ...{ name: 'composer', kind: 'composer', versions: 'php 8.2.1\nComposer version 2.5.5\n/usr/bin/unzip' },
    files: { 'composer.json': '{"require":{"made/money":"^1.0"}}', 'composer.lock': composerLock([money]) },
    ...{ tool: 'php with composer 2 and unzip', lock: 'composer.lock', package: 'made/money 1.4.0' },
    ...{ path: composerPath(money), asked: [composerPath(money)], inputs: [inputOf(money)] },
    ...{ made: 'vendor/autoload.php', environment: {} },
  },
  {
    ...{ name: 'maven', kind: 'maven', versions: 'Apache Maven 3.8.7\nJava version: 17.0.15', tool: 'mvn' },
    files: { 'pom.xml': '<project><dependencies/></project>', 'lockfile.json': mavenLock([width], [compiler]) },
    ...{ lock: 'lockfile.json', package: 'com.made:width 1.0.0', path: jarPath(width) },
    asked: [...[width, compiler, utils].map(jarPath), `${jarPath(utils)}.sha1`],
    inputs: [width, compiler, utils]
      .map(jarPath)
      .flatMap((path) => [`maven${path}`, `maven${path.replace(/jar$/, 'pom')}`]),
    made: '.agora-maven/com/made/width/1.0.0/width-1.0.0.jar',
    environment: { MAVEN_OPTS: '-Dmaven.repo.local=/workspace/.agora-maven', MAVEN_ARGS: '--offline' },
  },
  ofJavaScript('pnpm', 'pnpm 10.34.8', 'pnpm-lock.yaml', {
    lock: `lockfileVersion: '9.0'
importers:
  .: {}
packages:
  '@made/cents@1.2.0':
    resolution: {integrity: sha512-${sha512}}
  windows-only@1.0.0:
    resolution: {integrity: sha512-${sha512}}
    os: [win32]
snapshots:
  '@made/cents@1.2.0': {}
  windows-only@1.0.0:
    optional: true
`,
    asked: ['/pnpm/-/pnpm-10.34.8.tgz'],
  }),
  ofJavaScript('yarn 1', 'yarn 1.22.22', 'yarn.lock', {
    lock: `# yarn lockfile v1\n\n"@made/cents@^1.0.0":\n  version "1.2.0"\n  resolved "https://registry.yarnpkg.com${pathOf(cents)}#0123"\n  integrity sha512-${sha512}\n`,
    asked: ['/yarn/-/yarn-1.22.22.tgz'],
  }),
  ofJavaScript('yarn 4', '@yarnpkg/cli-dist 4.18.1', 'yarn.lock', {
    lock: `__metadata:
  version: 10
  cacheKey: 10c0

"@made/cents@npm:^1.0.0":
  version: 1.2.0
  resolution: "@made/cents@npm:1.2.0"
  checksum: 10c0/01
  linkType: hard

"windows-only@npm:^1.0.0":
  version: 1.0.0
  resolution: "windows-only@npm:1.0.0"
  conditions: os=win32
  linkType: hard

"shop@workspace:.":
  version: 0.0.0-use.local
  resolution: "shop@workspace:."
  linkType: soft
`,
    asked: ['/@made/cents/1.2.0', '/@yarnpkg/cli-dist/-/cli-dist-4.18.1.tgz'],
  }),
];

/** Its tool comes from the registry too, with a hash that only the true one has; so here is no installation. */
function ofJavaScript(
  name: string,
  tool: string,
  lock: string,
  { lock: text, asked }: { lock: string; asked: string[] },
): Scene {
  return {
    ...{ name, lock, kind: 'npm', versions: '137\n11.0.0', tool: 'npm', package: '@made/cents 1.2.0' },
    files: { 'package.json': '{"dependencies":{"@made/cents":"^1.0.0"}}', [lock]: text },
    ...{ path: pathOf(cents), asked: [pathOf(cents), ...asked], inputs: [], made: 'node_modules/x', environment: {} },
    lacks: `The registry does not have ${tool}`,
  };
}

let made = 0;

/** With a cache of its own. `versions`: what the sandbox prints of its programs. */
async function prepared(
  kind: string,
  files: Record<string, string>,
  { versions, made: path }: Pick<Scene, 'versions' | 'made'>,
  own: PrivateRegistry[] = [],
  { tasks = 1, settings = {} }: { tasks?: number; settings?: Record<string, string> } = {},
) {
  const { prepare, inputs, commands } = await openInstalling({
    ...{ versions, made: path, own },
    settings: {
      DEPENDENCY_REGISTRIES: `${kind}=${registry.url}`,
      DEPENDENCY_MAX_BYTES: '100000',
      // As it is by default: below the directory of the process.
      AGORA_DATA_DIR: relative(process.cwd(), join(home, `${made++}`)),
      ...settings,
    },
  });
  registry.asked.length = 0;
  const all = Array.from({ length: tasks }, (_, nth) => prepare(`owner ${nth}`, files));
  const [found] = (await Promise.all(all)) as [Awaited<(typeof all)[0]>];
  const said = found.problems.map(({ message }) => message);
  return { layer: found.layer, said, commands, inputs: inputs.sort(), asked: [...registry.asked].sort() };
}

describe.each(scenes)('$name', (scene) => {
  test('takes what the lock names, and commands find it by variables', async () => {
    const { layer, said, inputs, asked } = await prepared(scene.kind, scene.files, scene);
    expect(asked).toEqual(scene.asked.sort());
    expect(inputs).toEqual(scene.inputs.sort());
    expect(said).toEqual(scene.lacks === undefined ? [] : [expect.stringContaining(scene.lacks)]);
    if (scene.lacks === undefined)
      expect(layer).toMatchObject({ paths: [scene.made.split('/')[0]], environment: scene.environment });
    if (layer !== null) expect(isAbsolute(layer.directory)).toBe(true);
  });

  test('asks for nothing where sandboxes have no tool, or the operator names no registry', async () => {
    const bare = await prepared(scene.kind, scene.files, { ...scene, versions: '' });
    expect(bare).toMatchObject({ layer: null, asked: [] });
    const message = `sandboxes have no ${scene.tool}, so the packages of ${scene.lock}`;
    expect(bare.said).toEqual([expect.stringContaining(message)]);
    const other = await prepared('pypi', scene.files, scene);
    expect(other).toMatchObject({ layer: null, asked: [] });
    expect(other.said).toEqual([expect.stringContaining(`no registry for the packages of ${scene.lock}`)]);
  });

  test.each<[string, (path: string) => void, (each: Scene) => string]>([
    [
      'a registry without it',
      (path) => registry.answers.set(path, (_, response) => void response.writeHead(404).end()),
      (each) => `The registry does not have ${each.package}`,
    ],
    [
      'other bytes',
      (path) => registry.answers.set(path, (_, response) => void response.end('another')),
      (each) => `What the registry sends for ${each.package} has another hash than ${each.lock} says`,
    ],
    ['an endless answer', (path) => registry.answers.set(path, endless), () => 'are larger than 0 MiB'],
    [
      'a way to another host',
      (path) =>
        registry.answers.set(path, (_, response) => void response.writeHead(302, { location: registry.url }).end()),
      (each) => `The registry refuses ${each.package} (HTTP 302)`,
    ],
  ])('%s', async (_, arrange, message) => {
    arrange(scene.path);
    const found = await prepared(scene.kind, scene.files, scene);
    registry.answers.delete(scene.path);
    expect(found.layer).toBeNull();
    expect(found.said).toContainEqual(expect.stringContaining(message(scene)));
  });

  test('a lock that is none', async () => {
    const files = { ...scene.files, [scene.lock]: 'no lock [[' };
    const { said, asked } = await prepared(scene.kind, files, scene);
    expect({ said, asked }).toEqual({ said: [expect.stringContaining(`${scene.lock} is no lockfile`)], asked: [] });
  });
});

test('fifty tasks with one lockfile fetch and install once', async () => {
  const [go] = scenes as [Scene];
  const { layer, inputs, asked } = await prepared('go', go.files, go, [], { tasks: 50 });
  expect(layer).not.toBeNull();
  expect({ inputs, asked }).toEqual({ inputs: go.inputs.sort(), asked: go.asked.sort() });
});

test('another module under the name is refused, though the archive is whole', async () => {
  const [go] = scenes as [Scene];
  const other = moduleFiles([{ ...word, files: { 'word.go': 'package word // another\n' } }]).get(go.path)!;
  registry.answers.set(go.path, (_, response) => void response.end(other));
  const { said } = await prepared('go', go.files, go);
  registry.answers.delete(go.path);
  expect(said).toEqual([expect.stringContaining('has another hash than go.sum says')]);
});

test('a name that is too long for an address is asked for nowhere', async () => {
  const [go] = scenes as [Scene];
  const long = { ...word, module: `example.com/${'a'.repeat(300)}` };
  const { said, asked } = await prepared('go', { ...go.files, 'go.sum': goSum([word, long]) }, go);
  expect({ said, asked }).toEqual({ said: [expect.stringContaining('go.sum is no lockfile')], asked: [] });
});

test('crates of Git and of other registries are not looked for in the public one', async () => {
  const [, cargo] = scenes as [Scene, Scene];
  const lockFrom = (source: string) => ({ ...cargo.files, 'Cargo.lock': cargoLock([serif], source) });
  const git = await prepared('cargo', lockFrom('git+https://example.org/serif#0123'), cargo);
  expect(git).toMatchObject({ asked: [], said: [expect.stringContaining('comes from no registry')] });
  const own = await prepared('cargo', lockFrom('registry+https://crates.example.org/index'), cargo);
  expect(own).toMatchObject({
    asked: [],
    said: [expect.stringContaining('comes from https://crates.example.org/index, which this server does not fetch')],
  });
});

describe('a gem', () => {
  const [, , gem] = scenes as [Scene, Scene, Scene];
  const locked = (options: Parameters<typeof gemLock>[1], all = gems) => ({
    ...gem.files,
    'Gemfile.lock': gemLock(all, options),
  });

  test('without a hash in the lock has that of the registry, and is refused where the registry sends another', async () => {
    const { layer, asked } = await prepared('gem', locked({ hasHashes: false }), gem);
    expect(asked).toEqual([gem.path, '/info/letter']);
    expect(layer).not.toBeNull();
    registry.answers.set(gem.path, (_, response) => void response.end('another'));
    const { said } = await prepared('gem', locked({ hasHashes: false }), gem);
    registry.answers.delete(gem.path);
    expect(said).toEqual([expect.stringContaining('letter 1.0.0 has another hash')]);
  });

  test.each([
    ['that the registry has no page of', '', 'The registry does not have letter 1.0.0'],
    ['whose page has no hash', '---\n1.0.0-x86_64-linux-gnu |ruby:>= 0\n', 'Gemfile.lock has no hash for letter 1.0.0'],
  ])('%s is not taken', async (_, page, message) => {
    registry.answers.set('/info/letter', (_, response) => void response.writeHead(page === '' ? 404 : 200).end(page));
    const { layer, said } = await prepared('gem', locked({ hasHashes: false }), gem);
    registry.answers.delete('/info/letter');
    expect({ layer, said }).toEqual({ layer: null, said: [expect.stringContaining(message)] });
  });

  test('of Git or of another registry is not looked for in the public one', async () => {
    const git = gemLock(gems).replace('GEM\n', 'GIT\n');
    expect(await prepared('gem', { ...gem.files, 'Gemfile.lock': git }, gem)).toMatchObject({
      asked: [],
      said: expect.arrayContaining([expect.stringContaining('letter 1.0.0 in Gemfile.lock comes from no registry')]),
    });
    expect(await prepared('gem', locked({ remote: 'https://gems.example.org/' }), gem)).toMatchObject({
      asked: [],
      said: [expect.stringContaining('comes from gems.example.org, which this server does not fetch from')],
    });
  });

  test.each([
    ['on', ['plain', 'compiled']],
    ['off', ['plain']],
  ])('that is compiled is installed where DEPENDENCY_SCRIPTS is %s as that says', async (scripts, kinds) => {
    const settings = { DEPENDENCY_SCRIPTS: scripts };
    const { layer, commands } = await prepared('gem', gem.files, gem, [], { settings });
    expect(layer).not.toBeNull();
    expect(commands.map((each) => /install-gems\.rb (\w+)/.exec(each)?.[1])).toEqual(kinds);
  });

  test('for other systems alone is left out, and said', async () => {
    const { asked, said } = await prepared('gem', locked({}, [forMac, plainGem]), gem);
    expect(asked).toEqual(['/gems/word-1.0.0.gem']);
    expect(said).toEqual([expect.stringContaining('letter 1.0.0 was left out')]);
  });

  test.each([
    ['a name that leads elsewhere', '../../letter (1.0.0)'],
    ['a version that leads elsewhere', 'letter (1.0.0/../../x)'],
    ['an endless name', `${'a'.repeat(300)} (1.0.0)`],
  ])('with %s is no line of Bundler', async (_, line) => {
    const lock = gemLock([]).replace('  specs:', `  specs:\n    ${line}`);
    const { said, asked } = await prepared('gem', { ...gem.files, 'Gemfile.lock': lock }, gem);
    expect({ said, asked }).toEqual({ said: [expect.stringContaining('Gemfile.lock is no lockfile')], asked: [] });
  });
});

describe('a package of PHP', () => {
  const [, , , composer] = scenes as [Scene, Scene, Scene, Scene];
  const withLock = (change: (dist: Record<string, unknown>) => void) => {
    const lock = JSON.parse(composerLock([money]));
    change(lock.packages[0].dist);
    return { ...composer.files, 'composer.lock': JSON.stringify(lock) };
  };

  test.each<[string, (dist: Record<string, unknown>) => void, string]>([
    ['of another host', (dist) => (dist.url = 'https://example.org/a.zip'), 'comes from example.org'],
    [
      'of a branch',
      (dist) => (dist.url = 'https://api.github.com/repos/made/money/zipball/main'),
      'comes from api.github',
    ],
    ['of another commit', (dist) => (dist.reference = 'a'.repeat(40)), 'has no hash for made/money 1.4.0'],
    [
      'of the registry without a hash',
      (dist) => (dist.url = `${registry.url}/a.zip`),
      'has no hash for made/money 1.4.0',
    ],
    ['of a file', (dist) => (dist.url = 'file:///etc/passwd'), 'comes from no registry'],
    ['of Git alone', (dist) => (dist.type = 'git'), 'comes from no registry'],
  ])('%s is not fetched', async (_, change, message) => {
    const { layer, asked, said } = await prepared('composer', withLock(change), composer);
    expect({ layer, asked, said }).toEqual({ layer: null, asked: [], said: [expect.stringContaining(message)] });
  });

  test('has the hash of the lock where the lock has one', async () => {
    const { said } = await prepared(
      'composer',
      withLock((dist) => (dist.shasum = 'b'.repeat(40))),
      composer,
    );
    expect(said).toEqual([expect.stringContaining('made/money 1.4.0 has another hash than composer.lock says')]);
  });
});

describe('a package of Maven', () => {
  const maven = scenes.find(({ name }) => name === 'maven')!;
  const withLock = (change: (width: Record<string, unknown>) => void) => {
    const lock = JSON.parse(maven.files['lockfile.json']!);
    change(lock.dependencies[0]);
    return { ...maven.files, 'lockfile.json': JSON.stringify(lock) };
  };

  test.each<[string, (width: Record<string, unknown>) => void, string]>([
    [
      'of another registry',
      (each) => (each.resolved = 'https://repo.example.org/width-1.0.0.jar'),
      'com.made:width 1.0.0 comes from repo.example.org, which this server does not fetch from',
    ],
    ['of no registry', (each) => Object.assign(each, { resolved: '', checksum: '' }), 'comes from no registry'],
    ['of a version that changes', (each) => (each.version = '1.0.0-SNAPSHOT'), 'comes from no registry'],
    ['without a hash', (each) => (each.checksum = ''), 'has no hash for com.made:width 1.0.0'],
    ['with a hash that is none', (each) => (each.checksumAlgorithm = 'MD5'), 'has no hash for com.made:width 1.0.0'],
    ['with a name that leads elsewhere', (each) => (each.artifactId = '../../width'), 'lockfile.json is no lockfile'],
    ['with a group that leads elsewhere', (each) => (each.groupId = 'com..made'), 'lockfile.json is no lockfile'],
    ['with a version that leads elsewhere', (each) => (each.version = '1/../../x'), 'lockfile.json is no lockfile'],
    ['with an endless name', (each) => (each.artifactId = 'a'.repeat(300)), 'lockfile.json is no lockfile'],
    ['with a classifier of XML', (each) => (each.classifier = '1<!--'), 'lockfile.json is no lockfile'],
  ])('%s is not fetched', async (_, change, message) => {
    const { layer, asked, said } = await prepared('maven', withLock(change), maven);
    expect({ layer, asked, said }).toEqual({ layer: null, asked: [], said: [expect.stringContaining(message)] });
  });

  test.each([
    ['that the registry lacks', (response: ServerResponse) => response.writeHead(404).end(), []],
    ['whose hash is none', (response: ServerResponse) => response.end('<html>'), []],
    [
      'whose hash is another',
      (response: ServerResponse) => response.end('0'.repeat(40)),
      [expect.stringContaining('org.codehaus.plexus:plexus-utils 1.1 has another hash')],
    ],
  ])('that no lock names, %s', async (_, answer, messages) => {
    const path = `${jarPath(utils)}.sha1`;
    registry.answers.set(path, (_request, response) => void answer(response));
    const { layer, said } = await prepared('maven', maven.files, maven);
    registry.answers.delete(path);
    expect({ said, isThere: layer !== null }).toEqual({ said: messages, isThere: messages.length === 0 });
  });

  test('that no lock names is not taken from a registry of the owner', async () => {
    const stored = { kind: 'maven' as const, url: 'https://maven.example.org', updatedAt: '', authorization: 'x' };
    const { layer, said } = await prepared('maven', maven.files, maven, [{ ...stored, packages: ['org.codehaus.*'] }]);
    expect({ layer, said }).toEqual({ layer: null, said: [expect.stringContaining('has no hash for org.codehaus')] });
  });

  test('comes with no plugins from an older lock, and then nothing is asked for', async () => {
    const files = { ...maven.files, 'lockfile.json': mavenLock([width]) };
    const { said, asked } = await prepared('maven', files, maven);
    expect({ said, asked }).toEqual({ said: [expect.stringContaining('-DincludeMavenPlugins=true')], asked: [] });
  });

  const bare = (id: string, children: object[] = []) => ({ ...lockedJar({ id, content: '' }), type: 'pom', children });
  const lockOfMany = (dependencies: object[]) => ({
    ...maven.files,
    'lockfile.json': mavenLock([], [compiler], { dependencies }),
  });

  test.each([
    ['a name that is too long', [bare(`g:${'a'.repeat(150)}:${'1'.repeat(150)}`)], 'is no lockfile'],
    ['a file in the place of a directory', [bare('a.b:c:1'), bare('a.b.c.1:c-1.pom:2')], 'is no lockfile'],
    ['too many', Array.from({ length: 5_001 }, (_, nth) => bare(`g:a${nth}:1`)), 'names more than 5000 packages'],
  ])('with %s is left out', async (_, dependencies, message) => {
    const { layer, said } = await prepared('maven', lockOfMany(dependencies), maven);
    expect({ layer, said }).toEqual({ layer: null, said: [expect.stringContaining(message)] });
  });

  test('of two projects that need another POM of one package, the second is left out', async () => {
    const [one, other] = [
      mavenLock([width], [compiler]),
      mavenLock([], [compiler], { dependencies: [{ ...lockedJar(width), children: [bare('g:more:1')] }] }),
    ];
    const files = {
      'a/pom.xml': '<project/>',
      'a/lockfile.json': one,
      'b/pom.xml': '<project/>',
      'b/lockfile.json': other,
    };
    const { layer, said } = await prepared('maven', files, maven);
    expect(layer).not.toBeNull();
    expect(said).toEqual([expect.stringContaining('b/lockfile.json needs another width-1.0.0.pom')]);
  });

  test('of the project itself is not fetched, and its modules have one lock each', async () => {
    const own = { ...lockedJar({ id: 'com.example:core:1.0.0', content: '' }), resolved: '', checksum: '' };
    const core = mavenLock([width], [compiler], { artifactId: 'core' });
    const files = {
      ...{ 'pom.xml': '<project/>', 'lockfile.json': mavenLock([], [compiler], { dependencies: [own] }) },
      ...{ 'core/pom.xml': '<project/>', 'core/lockfile.json': core },
    };
    const { said, inputs } = await prepared('maven', files, maven);
    expect({ said, inputs }).toEqual({ said: [], inputs: maven.inputs });
  });
});

describe('a list of files', () => {
  const yarn4 = scenes.at(-1)!;
  const refusing = (status: number) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(status).end('no');

  test.each<[string, string, string]>([
    [
      'a key that is no address',
      '# yarn lockfile v1\n\n"bad%zz@1":\n  version "1"\n  resolved "https://x.test/y"\n',
      'comes from no registry',
    ],
    [
      'an address with a broken escape',
      '__metadata:\n  version: 10\n\n"a@npm:1":\n  resolution: "a@npm:1::__archiveUrl=%zz"\n',
      'yarn.lock is no lockfile',
    ],
    ...['constructor', '__proto__'].map((version): [string, string, string] => [
      `the version ${version}`,
      `__metadata:\n  version: ${version}\n\n"a@npm:1":\n  resolution: "a@npm:1"\n`,
      'does not install from yarn.lock',
    ]),
  ])('is not what is missing where a lock has %s', async (_, lock, message) => {
    const { said, asked } = await prepared('npm', { ...yarn4.files, 'yarn.lock': lock }, yarn4);
    expect({ said, asked }).toEqual({ said: [expect.stringContaining(message)], asked: [] });
  });

  test.each([
    [403, 'The registry refuses a list of files (HTTP 403)'],
    [503, 'The registry did not send a list of files'],
  ])('that the registry answers with %i is no fault of the lock', async (status, message) => {
    registry.answers.set('/@made/cents/1.2.0', refusing(status));
    const { said } = await prepared('npm', yarn4.files, yarn4);
    registry.answers.delete('/@made/cents/1.2.0');
    expect(said).toEqual([expect.stringContaining(message)]);
  });

  test('that is none is no fault of the lock', async () => {
    registry.answers.set('/rounding/', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{');
    });
    const python = { versions: '3 12 x86_64\npip 24.0', made: '.venv/x' };
    const { said } = await prepared('pypi', { 'requirements.txt': 'rounding==1.0\n' }, python);
    registry.answers.delete('/rounding/');
    expect(said).toEqual([expect.stringContaining('The registry did not send a list of files')]);
  });
});

describe('of several projects', () => {
  const [ofGo] = scenes as [Scene];
  const both = { versions: `${ofGo.versions}\n137\n11.0.0`, made: ofGo.made };
  const kinds = `npm=${registry.url},go`;
  const root = { name: 'shop', version: '1.0.0' };
  const withNpm = (lock: string, directory = '') => ({
    [`${directory}package.json`]: JSON.stringify({ ...root, dependencies: { '@made/cents': '1.2.0' } }),
    [`${directory}package-lock.json`]: lock,
  });
  const many = (count: number) =>
    Array.from({ length: count }, (_, n): TestPackage => ({ name: `p${n}`, version: '1.0.0', files: {} }));
  const missing = (_: unknown, response: ServerResponse) => void response.writeHead(404).end();

  const cases: { name: string; packages: TestPackage[]; from?: string; messages: string[] }[] = [
    {
      ...{ name: 'packages from Git', packages: many(5), from: 'git+ssh://git@example.org/p.git' },
      messages: many(5).map((each) => `${each.name} 1.0.0 in package-lock.json comes from no registry`),
    },
    {
      name: 'packages that are too large',
      packages: [cents],
      messages: ['The packages of package-lock.json are larger'],
    },
    { name: 'too many packages', packages: many(5_001), messages: ['package-lock.json names more than 5000 packages'] },
    {
      ...{ name: 'packages that the registry lacks', packages: many(5) },
      messages: many(5).map((each) => `The registry does not have ${each.name} 1.0.0`),
    },
  ];

  test.each(cases)('one with $name is left out alone', async ({ packages, from, messages }) => {
    registry.answers.set(pathOf(cents), endless);
    // Not each made anew, which takes long for thousands.
    const integrity = `sha512-${sha512}`;
    const entries = packages.map(({ name, version }, n) => {
      const own =
        packages.length === 1 ? integrity : `sha1-${Buffer.from(`${n}`.padStart(20, '0')).toString('base64')}`;
      return [`node_modules/${name}`, { version, integrity: own, ...(from !== undefined && { resolved: from }) }];
    });
    const lock = JSON.stringify({
      ...root,
      lockfileVersion: 3,
      packages: { '': root, ...Object.fromEntries(entries) },
    });
    const { layer, said, inputs } = await prepared(kinds, { ...withNpm(lock), ...ofGo.files }, both);
    registry.answers.delete(pathOf(cents));
    expect(said.sort()).toEqual(messages.map((each) => expect.stringContaining(each)));
    expect(inputs).toEqual(ofGo.inputs);
    expect(layer).toMatchObject({ paths: ['.agora-go'] });
  });

  const optional = (lock: string) => lock.replace('"integrity"', '"optional":true,"integrity"');
  const npm = { versions: both.versions, made: 'a/node_modules/x' };

  test.each([
    ['both go on without', optional, optional, 0],
    ['one goes on without', optional, String, 1],
    ['the other goes on without', String, optional, 1],
    ['neither goes on without', String, String, 2],
  ])('%s what the registry lacks', async (_, changeA, changeB, count) => {
    registry.answers.set(pathOf(cents), missing);
    const lock = lockOf(root, [cents]);
    const files = { ...withNpm(changeA(lock), 'a/'), ...withNpm(changeB(lock), 'b/') };
    const { layer, said } = await prepared('npm', files, npm);
    registry.answers.delete(pathOf(cents));
    expect(said).toEqual(Array(count).fill(expect.stringContaining('The registry does not have @made/cents 1.2.0')));
    expect(layer === null).toBe(count === 2);
  });

  test('a package that one part of a lock can miss, and another cannot, is not left out', async () => {
    registry.answers.set(pathOf(cents), missing);
    const lock = JSON.parse(lockOf(root, [cents]));
    const entry = lock.packages['node_modules/@made/cents'];
    lock.packages['node_modules/z/node_modules/@made/cents'] = { ...entry, optional: true };
    const { layer, said } = await prepared('npm', withNpm(JSON.stringify(lock)), npm);
    registry.answers.delete(pathOf(cents));
    expect({ layer, said }).toEqual({
      layer: null,
      said: [expect.stringContaining('The registry does not have @made/cents 1.2.0')],
    });
  });

  const other: TestModule = { ...word, files: { 'word.go': 'package word // another\n' } };
  const modules = (a: TestModule, b: TestModule) => ({
    ...{ 'a/go.mod': goMod, 'a/go.sum': goSum([a]) },
    ...{ 'b/go.mod': goMod, 'b/go.sum': goSum([b]) },
  });

  test.each([
    ['a', other, word],
    ['b', word, other],
  ])('the one whose hash differs is refused, here %s', async (directory, a, b) => {
    const { layer, said } = await prepared('go', modules(a, b), ofGo);
    expect(said).toEqual([expect.stringContaining(`has another hash than ${directory}/go.sum says`)]);
    expect(layer).not.toBeNull();
  });

  test('the second is refused where the registry has other bytes for it under the same name', async () => {
    const sends = [word, other].map((each) => moduleFiles([each]).get(ofGo.path)!);
    registry.answers.set(ofGo.path, (_, response) => void response.end(sends.shift()));
    const { said, inputs } = await prepared('go', modules(word, other), ofGo);
    registry.answers.delete(ofGo.path);
    expect(sends).toEqual([]);
    expect(said).toEqual([expect.stringContaining('has another hash than b/go.sum says')]);
    expect(inputs.filter((path) => path.endsWith('.zip'))).toHaveLength(1);
  });
});

describe("an owner's own registry", () => {
  const file = 'word-1.0-py3-none-any.whl';
  const hash = createHash('sha256').update('a wheel').digest('hex');
  const theirs = new Map<string, Buffer | string>(sent);
  theirs.set('/simple/word/', `<a href="/files/${file}#sha256=${hash}">${file}</a>`).set(`/files/${file}`, 'a wheel');
  const opened = startPackageRegistry(theirs, 'Bearer secret').then((own) => {
    theirs.set('/index/config.json', JSON.stringify({ dl: own.url, 'auth-required': true }));
    return own;
  });
  afterAll(async () => (await opened).close());
  const named = (name: string) => scenes.find((each) => each.name === name)!;
  const [go, cargo, gem, maven, pnpm, yarn1] = ['go', 'cargo', 'gem', 'maven', 'pnpm', 'yarn 1'].map(named) as [
    Scene,
    Scene,
    Scene,
    Scene,
    Scene,
    Scene,
  ];

  interface Case {
    name: string;
    scene: Pick<Scene, 'kind' | 'versions' | 'made'>;
    files(url: string): Record<string, string>;
    packages: string[];
    path?: string;
    asked: string[];
  }

  const cases: Case[] = [
    {
      ...{ name: 'go', scene: go, files: () => go.files, packages: ['example.com/Made/*'] },
      asked: [modulePath(unused, 'mod'), modulePath(word, 'mod'), modulePath(word, 'zip')],
    },
    {
      ...{ name: 'cargo', scene: cargo, packages: [], path: '/index' },
      files: (url) => ({ ...cargo.files, 'Cargo.lock': cargoLock([serif], `sparse+${url}/index/`) }),
      asked: ['/index/config.json', cratePath(serif)],
    },
    {
      ...{ name: 'gem', scene: gem, packages: [], asked: [gemPath(letter)] },
      files: (url) => ({
        ...gem.files,
        'Gemfile.lock': gem.files['Gemfile.lock']!.replace(/(?<=remote: ).*/, url.replace('//', '//user:old@')),
      }),
    },
    {
      ...{ name: 'maven', scene: maven, packages: [], asked: [jarPath(width), jarPath(compiler)] },
      files: (url) => ({
        ...maven.files,
        'lockfile.json': maven.files['lockfile.json']!.replaceAll('https://repo.maven.apache.org/maven2', url),
      }),
    },
    { name: 'pnpm', scene: pnpm, files: () => pnpm.files, packages: ['@made/*'], asked: [pathOf(cents)] },
    {
      ...{ name: 'yarn 1', scene: yarn1, packages: [] },
      files: (url) => ({
        ...yarn1.files,
        'yarn.lock': yarn1.files['yarn.lock']!.replace('https://registry.yarnpkg.com', url),
      }),
      asked: [pathOf(cents)],
    },
    {
      ...{
        name: 'requirements',
        scene: { kind: 'pypi', versions: '3 11 x86_64\npip 23.0', made: '.venv/x' },
        packages: [],
      },
      files: (url) => ({
        'requirements.txt': `--index-url ${url.replace('//', '//user:old@')}/simple\nword==1.0 --hash=sha256:${hash}\n`,
      }),
      ...{ path: '/simple', asked: ['/simple/word/', `/files/${file}`] },
    },
    {
      ...{ name: 'uv', scene: { kind: 'pypi', versions: '3 11 x86_64\npip 23.0', made: '.venv/x' }, packages: [] },
      files: (url) => ({
        'uv.lock': `[[package]]\nname = "word"\nversion = "1.0"\nsource = { registry = "${url}/simple/" }\nwheels = [{ url = "x", hash = "sha256:${hash}" }]\n`,
      }),
      ...{ path: '/simple', asked: ['/simple/word/', `/files/${file}`] },
    },
  ];

  test.each(cases)('gives $name what its lock names, with the token and to nobody else', async (each) => {
    const own = await opened;
    own.asked.length = 0;
    const url = `${own.url}${each.path ?? ''}`;
    const { kind } = each.scene as { kind: PrivateRegistry['kind'] };
    const stored = { kind, url, packages: each.packages, updatedAt: '', authorization: 'Bearer secret' };
    const files = each.files(own.url);
    const found = await prepared(kind, files, each.scene, [stored]);
    expect(own.asked.sort()).toEqual(each.asked.sort());
    expect(found.asked.filter((path) => each.asked.includes(path))).toEqual([]);
    const refused = await prepared(kind, files, each.scene, [{ ...stored, authorization: 'Bearer wrong' }]);
    expect(refused.layer).toBeNull();
    expect(refused.said).toContainEqual(expect.stringContaining(`Your registry at ${new URL(url).host} refuses`));
    own.asked.length = 0;
    await prepared(kind, files, each.scene);
    expect(own.asked).toEqual([]);
  });

  test('of Cargo gets no token sent elsewhere by its own index', async () => {
    const own = await opened;
    const answer = (dl: string) =>
      own.answers.set('/index/config.json', (_, response) => void response.end(JSON.stringify({ dl })));
    answer(registry.url);
    const stored = {
      kind: 'cargo' as const,
      url: `${own.url}/index`,
      packages: [],
      updatedAt: '',
      authorization: 'Bearer secret',
    };
    const { said, asked } = await prepared('cargo', cases[1]!.files(own.url), cargo, [stored]);
    own.answers.clear();
    expect({ said, asked }).toEqual({ said: [expect.stringContaining('does not have serif at 127.0.0.1')], asked: [] });
  });

  test('that sends on to an address without https is not followed', async () => {
    const own = await opened;
    const location = `${registry.url}${pathOf(cents)}`;
    own.answers.set(pathOf(cents), (_, response) => void response.writeHead(302, { location }).end());
    const stored = { kind: 'npm' as const, url: own.url, packages: ['@made/*'], updatedAt: '' };
    const { said, asked } = await prepared('npm', pnpm.files, pnpm, [{ ...stored, authorization: 'Bearer secret' }]);
    own.answers.clear();
    expect(said).toContainEqual(
      expect.stringContaining(`Your registry at ${new URL(own.url).host} refuses @made/cents 1.2.0 (HTTP 302)`),
    );
    expect(asked).not.toContain(pathOf(cents));
  });

  test.each([
    ['of its own index', '--index-url'],
    ['of the public one beside it', '--extra-index-url'],
  ])('has no say over requirements without a hash %s', async (_, option) => {
    const own = await opened;
    own.asked.length = 0;
    const stored = { kind: 'pypi' as const, url: `${own.url}/simple`, packages: [], updatedAt: '' };
    const files = { 'requirements.txt': `${option} ${own.url}/simple\nword==1.0\n` };
    const python = { versions: '3 11 x86_64\npip 23.0', made: '.venv/x' };
    const { said, asked } = await prepared('pypi', files, python, [{ ...stored, authorization: 'Bearer secret' }]);
    expect({ said, asked }).toEqual({ said: [expect.stringContaining('has no hash for word 1.0')], asked: [] });
    expect(own.asked).toEqual([]);
  });
});
