import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { type Case, row, source, useHostSandboxes } from '../../../test/support/gate/case.ts';
import { systemClock } from '../../platform/index.ts';
import { assess } from '../index.ts';
import { dependenciesOf, openAdvisories } from './index.ts';
import { affectedIn, affects } from './osv.ts';
import { type Ecosystem, orders } from './versions.ts';

useHostSandboxes();

const log = pino({ level: 'silent' });
const advisory = (id: string, ecosystem: string, name: string, events: object[], more: object = {}) => ({
  schema_version: '1.6.0',
  id,
  modified: '2026-01-01T00:00:00Z',
  summary: `${name} is unsafe`,
  affected: [{ package: { ecosystem, name }, ranges: [{ type: 'SEMVER', events }] }],
  ...more,
});
const lodash = advisory('GHSA-aaaa', 'npm', 'lodash', [{ introduced: '0' }, { fixed: '4.17.21' }]);
const flask = advisory('PYSEC-1', 'PyPI', 'Flask_Thing', [{ introduced: '1.0' }, { fixed: '2.0' }]);

const made: string[] = [];
afterEach(async () => {
  for (const dir of made.splice(0)) await rm(dir, { recursive: true, force: true });
});

async function database(files: Record<string, unknown>) {
  const dir = await mkdtemp(join(tmpdir(), 'agora-osv-'));
  made.push(dir);
  await mkdir(join(dir, 'npm'));
  for (const [path, value] of Object.entries(files)) {
    await writeFile(join(dir, path), typeof value === 'string' ? value : JSON.stringify(value));
  }
  return openAdvisories(dir, log, systemClock);
}

const lock = (packages: Record<string, string>) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: Object.fromEntries([
      ['', { name: 'project', version: '1.0.0' }],
      ...Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }]),
    ]),
  });

const project = { 'a.js': 'one();\n', 'package-lock.json': lock({ chalk: '5.0.0' }) };
const deliver = (files: Record<string, string>, original: Record<string, string> = project): Case => ({
  taskType: 'refactor',
  original,
  delivered: { ...original, 'a.js': 'two();\n', ...files },
});

describe('vulnerable dependencies', () => {
  test('that the delivery brings in fail it, by name, version and advisory', async () => {
    const advisories = await database({ 'npm/GHSA-aaaa.json': lodash });
    const verdict = await assess(
      source(deliver({ 'package-lock.json': lock({ chalk: '5.0.0', lodash: '4.17.20' }) })),
      {
        advisories,
      },
    );
    expect(row(verdict, 'advisories')).toMatchObject({
      score: 0,
      weight: 0,
      evidence: 'Introduced: lodash 4.17.20 (GHSA-aaaa: lodash is unsafe).',
    });
    expect(verdict).toMatchObject({ score: 45, passed: false });
  });

  test('that were there before are not held against it, nor is a version of them that is no better', async () => {
    const advisories = await database({ 'npm/GHSA-aaaa.json': lodash });
    const original = { ...project, 'package-lock.json': lock({ lodash: '4.17.0' }) };
    const given = source(deliver({ 'package-lock.json': lock({ lodash: '4.17.20', chalk: '5.0.0' }) }, original));
    const verdict = await assess(given, { advisories });
    expect(row(verdict, 'advisories')).toMatchObject({ score: 100 });
    expect(verdict.score).toBe(60);
  });

  test('are looked for where pinned versions changed, and nowhere else', async () => {
    const advisories = await database({ 'npm/GHSA-aaaa.json': lodash });
    const vulnerable = { ...project, 'package-lock.json': lock({ lodash: '4.17.0' }) };
    expect(row(await assess(source(deliver({}, vulnerable)), { advisories }), 'advisories')).toBeUndefined();
  });

  test('are found in requirements as well', async () => {
    const advisories = await database({ 'p.json': flask });
    const given = source(
      deliver({ 'requirements-dev.txt': 'flask.thing[all]==1.5 ; python_version > "3"\nother>=1\n' }),
    );
    const verdict = await assess(given, { advisories });
    expect(row(verdict, 'advisories')?.evidence).toBe('Introduced: flask-thing 1.5 (PYSEC-1: Flask_Thing is unsafe).');
  });

  test.each<[string, Record<string, unknown> | null, RegExp]>([
    ['without a database', null, /^Not run: this server has no advisory database\.$/],
    ['with an empty database', {}, /^Not run: the advisory database holds no advisory\.$/],
    ['with a database of other files', { 'x.json': '{', 'y.json': { id: 'x' }, 'z.txt': 'x' }, /holds no advisory/],
  ])('are not run %s, which is no pass', async (_name, files, evidence) => {
    const advisories = files === null ? null : await database(files);
    const verdict = await assess(source(deliver({ 'package-lock.json': lock({ lodash: '4.17.20' }) })), { advisories });
    expect(row(verdict, 'advisories')?.score).toBeNull();
    expect(row(verdict, 'advisories')?.evidence).toMatch(evidence);
    expect(verdict.score).toBe(60);
  });

  test('are not run where the database is not there, or the lockfile is none', async () => {
    const gone = openAdvisories('/nowhere/at/all', log, systemClock);
    const given = source(deliver({ 'package-lock.json': lock({ lodash: '4.17.20' }) }));
    expect(row(await assess(given, { advisories: gone }), 'advisories')?.evidence).toMatch(/cannot be read/);
    const advisories = await database({ 'a.json': lodash });
    const broken = await assess(source(deliver({ 'package-lock.json': '{"lockfileVersion":3' })), { advisories });
    expect(row(broken, 'advisories')).toMatchObject({
      score: null,
      evidence: 'Not run: package-lock.json cannot be read.',
    });
  });
});

describe('an advisory', () => {
  const about = (ecosystem: Ecosystem, version: string) => ({ ecosystem, name: 'x', version });
  const one = (events: object[], ecosystem: Ecosystem = 'npm', more: object = {}) =>
    affectedIn(JSON.stringify(advisory('A', ecosystem, 'x', events, more)))[0]![1];

  test.each<[string, object[], string[], string[]]>([
    ['of all versions', [{ introduced: '0' }], ['0.0.1', '99.0.0'], []],
    ['until a fix', [{ introduced: '0' }, { fixed: '1.2.0' }], ['1.1.9', '1.2.0-beta.1'], ['1.2.0', '1.10.0']],
    ['from one version on', [{ introduced: '2.0.0' }], ['2.0.0', '10.0.0'], ['1.9.9']],
    ['to a last version', [{ introduced: '1.0.0' }, { last_affected: '1.5.0' }], ['1.5.0'], ['1.5.1', '0.9.0']],
    [
      'of two lines of versions, in any order',
      [{ introduced: '2.0.0' }, { fixed: '2.3.0' }, { introduced: '1.0.0' }, { fixed: '1.4.0' }],
      ['1.3.9', '2.2.9'],
      ['1.4.0', '1.9.0', '2.3.0', '0.1.0'],
    ],
  ])('%s', (_name, events, hit, missed) => {
    for (const version of hit) expect([version, affects(one(events), about('npm', version))]).toEqual([version, true]);
    for (const version of missed)
      expect([version, affects(one(events), about('npm', version))]).toEqual([version, false]);
  });

  test('that was withdrawn, is about another ecosystem or about commits says nothing', () => {
    const events = [{ introduced: '0' }];
    expect(
      affectedIn(JSON.stringify(advisory('A', 'npm', 'x', events, { withdrawn: '2026-01-01T00:00:00Z' }))),
    ).toEqual([]);
    expect(affectedIn(JSON.stringify(advisory('A', 'Debian:12', 'x', events)))).toEqual([]);
    const commits = { affected: [{ package: { ecosystem: 'npm', name: 'x' }, ranges: [{ type: 'GIT', events }] }] };
    expect(affects(one([], 'npm', commits), about('npm', '1.0.0'))).toBe(false);
  });

  test('may list versions', () => {
    const listed = { affected: [{ package: { ecosystem: 'PyPI', name: 'x' }, versions: ['1.0', '1.1'] }] };
    expect(affects(one([], 'PyPI', listed), about('PyPI', '1.1'))).toBe(true);
    expect(affects(one([], 'PyPI', listed), about('PyPI', '1.2'))).toBe(false);
  });
});

describe('versions', () => {
  test.each<[Ecosystem, string[]]>([
    [
      'npm',
      ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0', '1.2.0', '1.10.0'],
    ],
    ['Go', ['0.0.0-20200101000000-abcdef', '0.1.0', 'v1.0.0', '1.0.1+incompatible']],
    ['crates.io', ['0.9.9', '0.10.0-rc.1', '0.10.0']],
    ['PyPI', ['1.0.dev1', '1.0a1.dev1', '1.0a1', '1.0b2', '1.0rc1', '1.0', '1.0.post1', '1.0.1', '1.10', '2!0.1']],
  ])('of %s are ordered as the ecosystem does', (ecosystem, sorted) => {
    const order = orders[ecosystem];
    for (const [at, one] of sorted.entries()) {
      for (const [beside, other] of sorted.entries()) {
        expect([one, other, Math.sign(order(one, other))]).toEqual([one, other, Math.sign(at - beside)]);
      }
    }
    expect(order('1.0', '1.0.0')).toBe(0);
  });
});

describe('lockfiles', () => {
  test('of npm are read in all their versions, with nested, renamed and linked packages', () => {
    const nested = {
      lockfileVersion: 1,
      dependencies: { a: { version: '1.0.0', dependencies: { '@s/b': { version: '2.0.0' } } } },
    };
    const named = (text: string) =>
      dependenciesOf('package-lock.json', text)?.map(({ name, version }) => `${name} ${version}`);
    expect(named(JSON.stringify(nested))).toEqual(['a 1.0.0', '@s/b 2.0.0']);
    const flat = {
      lockfileVersion: 3,
      packages: {
        '': { version: '0.0.1' },
        'packages/own': { version: '3.0.0' },
        'node_modules/own': { link: true, resolved: 'packages/own' },
        'node_modules/a/node_modules/@s/b': { version: '2.0.0' },
        'node_modules/renamed': { name: 'real', version: '4.0.0' },
      },
    };
    expect(named(JSON.stringify(flat))).toEqual(['@s/b 2.0.0', 'real 4.0.0']);
    expect(named('{"name":"x"}')).toBeUndefined();
  });

  test('of Go and Rust are read', () => {
    const mod =
      'module example.com/me\n\ngo 1.22\n\nrequire (\n\tgolang.org/x/net v0.1.0 // indirect\n)\nrequire github.com/a/b v1.2.3\n';
    expect(dependenciesOf('go.mod', mod)).toMatchObject([
      { ecosystem: 'Go', name: 'golang.org/x/net', version: '0.1.0' },
      { name: 'github.com/a/b', version: '1.2.3' },
    ]);
    const cargo = 'version = 3\n\n[[package]]\nname = "time"\nversion = "0.1.40"\n';
    expect(dependenciesOf('Cargo.lock', cargo)).toEqual([{ ecosystem: 'crates.io', name: 'time', version: '0.1.40' }]);
  });
});
