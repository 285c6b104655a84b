import { expect, test } from 'vitest';
import { projectsOf } from './projects.ts';

const anyRegistry = { DEPENDENCY_REGISTRIES: 'npm=https://registry.npmjs.org' };
const file = (path: string, text = '') => ({ path, content: Buffer.from(text) });
const found = (...paths: string[]) =>
  projectsOf(
    paths.map((path) => file(path)),
    anyRegistry,
  ).projects.map(({ ecosystem, directory, locks, manifests }) => ({
    ...{ ecosystem, directory },
    locks: locks.map(({ path }) => path),
    manifests: manifests.map(({ path }) => path),
  }));

test('a project of npm has its lock, and the manifests below that are no other project’s', () => {
  const paths = ['package.json', 'package-lock.json', '.npmrc', 'packages/a/package.json', 'web/package.json'];
  expect(found(...paths, 'web/package-lock.json', 'web/app/package.json')).toEqual([
    {
      ...{ ecosystem: 'javascript', directory: '', locks: ['package-lock.json'] },
      manifests: ['package.json', '.npmrc', 'packages/a/package.json'],
    },
    {
      ...{ ecosystem: 'javascript', directory: 'web', locks: ['web/package-lock.json'] },
      manifests: ['web/package.json', 'web/app/package.json'],
    },
  ]);
});

test('a shrinkwrap comes before a lock, and what is committed is taken as it is', () => {
  const [project] = found('package.json', 'package-lock.json', 'npm-shrinkwrap.json');
  expect(project?.locks).toEqual(['npm-shrinkwrap.json']);
  expect(found('package.json', 'package-lock.json', 'node_modules/a/package.json')).toEqual([]);
  expect(found('a/package.json', 'a/package-lock.json', 'a/node_modules/b/x.js', 'node_modules.js')).toEqual([]);
  expect(found('requirements.txt', '.venv/bin/python')).toEqual([]);
});

test('of several lockfiles in one directory the first counts, and what the tool reads beside is a manifest', () => {
  const besides = [
    'package.json',
    'pnpm-workspace.yaml',
    '.pnpmfile.cjs',
    'patches/a.patch',
    '.yarnrc.yml',
    'a/.yarnrc.yml',
  ];
  expect(found('yarn.lock', 'pnpm-lock.yaml', ...besides, 'x.patch', 'patches/deep/b.patch')).toEqual([
    { ecosystem: 'javascript', directory: '', locks: ['pnpm-lock.yaml'], manifests: besides },
  ]);
});

test('a project of Go has a go.sum, and one with a go.work has all that lie below', () => {
  const modules = ['go.mod', 'go.sum', 'tool/go.mod', 'tool/go.sum', 'testdata/go.mod', 'testdata/go.sum', 'x/go.mod'];
  expect(found(...modules)).toEqual([
    { ecosystem: 'go', directory: '', locks: ['go.sum'], manifests: ['go.mod', 'x/go.mod'] },
    { ecosystem: 'go', directory: 'tool', locks: ['tool/go.sum'], manifests: ['tool/go.mod'] },
  ]);
  expect(found(...modules, 'go.work')).toEqual([
    {
      ...{ ecosystem: 'go', directory: '', locks: ['go.sum', 'tool/go.sum'] },
      manifests: ['go.mod', 'tool/go.mod', 'x/go.mod', 'go.work'],
    },
  ]);
  expect(found('go.mod', 'go.sum', 'vendor/modules.txt')).toEqual([]);
});

test('a project of Rust has a lock beside its manifest', () => {
  expect(found('Cargo.lock', 'Cargo.toml', 'crates/a/Cargo.toml', 'fuzz/Cargo.lock')).toEqual([
    { ecosystem: 'rust', directory: '', locks: ['Cargo.lock'], manifests: [] },
  ]);
  expect(found('Cargo.lock', 'Cargo.toml', 'vendor/a/.cargo-checksum.json')).toEqual([]);
});

test('a project of Ruby has a lock beside its Gemfile', () => {
  expect(found('Gemfile', 'Gemfile.lock', 'docs/Gemfile.lock', 'vendor/cache/a.gem')).toEqual([
    { ecosystem: 'ruby', directory: '', locks: ['Gemfile.lock'], manifests: [] },
  ]);
  expect(found('a/Gemfile', 'a/Gemfile.lock', 'a/vendor/bundle/ruby/3.1.0/gems/b/b.rb')).toEqual([]);
  const messages = projectsOf([file('Gemfile', "source 'https://rubygems.org'\ngem 'rack'\n")], anyRegistry).problems;
  expect(messages).toMatchObject([{ reason: 'no_lock', message: expect.stringContaining('Commit Gemfile.lock') }]);
});

test('a project of PHP has a lock beside its manifest, and the manifests below', () => {
  expect(found('composer.json', 'composer.lock', 'packages/a/composer.json', 'vendor/b/composer.json')).toEqual([
    {
      ...{ ecosystem: 'php', directory: '', locks: ['composer.lock'] },
      manifests: ['composer.json', 'packages/a/composer.json'],
    },
  ]);
  expect(found('composer.json', 'composer.lock', 'vendor/autoload.php')).toEqual([]);
  const needs = (name: string) =>
    projectsOf([file('composer.json', `{"require": {"${name}": "*"}}`)], anyRegistry).problems;
  expect([needs('a/b').map(({ reason }) => reason), needs('php')]).toEqual([['no_lock'], []]);
});

test('a project of Maven has the locks of all its modules', () => {
  const modules = ['a/pom.xml', 'a/lockfile.json', 'a/b/pom.xml', 'a/b/lockfile.json', 'a/c/lockfile.json'];
  expect(found('pom.xml', 'lockfile.json', ...modules)).toEqual([
    {
      ...{ ecosystem: 'maven', directory: '', manifests: [] },
      locks: ['lockfile.json', 'a/lockfile.json', 'a/b/lockfile.json'],
    },
  ]);
  expect(found('x/pom.xml', 'x/lockfile.json', ...modules).map(({ directory }) => directory)).toEqual(['x', 'a']);
  expect(found('lockfile.json')).toEqual([]);
  const reasons = (...files: ReturnType<typeof file>[]) =>
    projectsOf(files, anyRegistry).problems.map(({ message }) => message);
  expect(reasons(file('pom.xml', '<project><dependencies><dependency>'))).toEqual([
    expect.stringContaining(
      'pom.xml names dependencies, and no lockfile their versions. Commit the lockfile.json of maven',
    ),
  ]);
  expect(reasons(file('build.gradle.kts'), file('gradle.lockfile'))).toEqual([
    expect.stringContaining('does not install from gradle.lockfile. Commit a pom.xml with the lockfile.json of maven'),
  ]);
});

test('a project of Python has one lock, or all its requirements at the root', () => {
  expect(found('uv.lock', 'poetry.lock', 'requirements.txt')).toMatchObject([
    { ecosystem: 'python', locks: ['uv.lock'] },
  ]);
  const requirements = ['requirements.txt', 'requirements-dev.txt', 'test_requirements.txt'];
  expect(found(...requirements, 'docs/requirements.txt', 'my-requirements.txt')).toMatchObject([
    { locks: requirements },
  ]);
});

test('five projects at most are installed, the outermost first', () => {
  const paths = Array.from({ length: 9 }, (_, nth) => ['a', 'b/c', 'd'].map((each) => `${each}/${nth}`)).flat();
  const all = found(...paths.flatMap((path) => [`${path}/package.json`, `${path}/package-lock.json`]));
  expect(all.map(({ directory }) => directory.split('/').length)).toEqual([2, 2, 2, 2, 2]);
});

test('where packages are switched off each project that needs some says so, whatever its lockfile', () => {
  const given = [
    file('package.json', '{"dependencies": {"a": "1"}}'),
    file('go.mod'),
    file('go.sum', 'x'),
    file('requirements.txt', 'a'),
    file('web/Cargo.toml'),
  ];
  const { projects, problems } = projectsOf(given, { DEPENDENCY_REGISTRIES: 'off' });
  expect(projects).toEqual([]);
  expect(problems.map(({ reason, path }) => `${reason} ${path}`).sort()).toEqual([
    'switched_off go.sum',
    'switched_off package.json',
    'switched_off requirements.txt',
  ]);
  expect(projectsOf([file('package.json', '{"name": "a"}')], { DEPENDENCY_REGISTRIES: 'off' }).problems).toEqual([]);
});
