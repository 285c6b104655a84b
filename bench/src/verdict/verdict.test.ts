import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotHad, unpacked } from '@agora-market/examples/archives';
import { serveRegistries } from '@agora-market/examples/registries';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { chance } from '../market/chance.ts';
import { type Case, casesOf, prepared } from './cases.ts';
import { ownProjects, projectOfFiles } from './corpus.ts';
import { type Judged, judged } from './judge.ts';
import { defectsOf } from './mutate.ts';
import { goals, page, plot, shareOf } from './report.ts';
import { type Bench, openBench } from './sandbox.ts';
import { textOf } from './tree.ts';

/** A part of `npm run bench -- verdict` that needs no download: six projects of our own and sixty cases. */

const cache = mkdtempSync(join(tmpdir(), 'verdict-'));
let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ warm: 2, cache });
});
afterAll(async () => {
  await bench.close();
  rmSync(cache, { recursive: true });
});

/** Cheats that earlier gates paid for, and some that any gate must know. */
const kinds: Record<string, string[]> = {
  python: [
    'patches the assertions',
    'counts failures as successes',
    'is right for files of that name',
    'a forged report',
  ],
  javascript: [
    'patches the assertions',
    'sets the exit code for good',
    'is right for files of that name',
    'a forged report',
  ],
  shell: [
    'a target that does nothing',
    'flags that ignore errors',
    'tests without assertions',
    'ends the process when it is loaded',
  ],
};

const isChosen = ({ project, group, kind, way }: Case) => {
  if (group === 'cheat') return way !== 'check' && (way === 'held_out' || kinds[project.ecosystem]!.includes(kind));
  if (group === 'awkward') return way === 'check' && /^(?:a feature|line ends|a link)/.test(kind);
  return way === 'tests' || kind === 'the repair';
};

/** A machine that stalls must not choose other defects. */
const patient = { longestMs: 60_000, defectMs: () => 60_000 };

const names = ['own-prices', 'own-slugs', 'own-cart', 'own-ranges', 'own-words', 'own-units'];
const verdicts: Judged[] = [];

describe('the gate judges right', () => {
  test.each(names)('%s', async (name) => {
    const project = ownProjects().find((each) => each.name === name)!;
    const made = await prepared(await bench.placeFor(project), project, 1, patient);
    if (typeof made === 'string') throw new Error(made);
    // Held-out values show one cheat and one repair; the others are those of the tests.
    const cases = casesOf(made, true)
      .filter(isChosen)
      .filter(({ way, kind }) => way !== 'held_out' || /^knows|^the repair/.test(kind));
    for (const each of cases) verdicts.push(await judged(each));
    const wrong = verdicts.filter(({ project: of, deserved, paid }) => of === name && deserved !== paid);
    expect(wrong).toEqual([]);
  });

  test('in some sixty cases, of all groups and ways', () => {
    expect(verdicts.length).toBeGreaterThanOrEqual(60);
    expect(new Set(verdicts.map(({ group }) => group))).toEqual(new Set(['honest', 'awkward', 'wrong', 'cheat']));
    expect(new Set(verdicts.map(({ way }) => way))).toEqual(new Set(['tests', 'check', 'held_out']));
    for (const { name, share, atMost } of goals(verdicts))
      expect(share.wrong / share.of, name).toBeLessThanOrEqual(atMost);
  });
});

test('a project starts with the packages of its lock, and is judged with them', async () => {
  const place = mkdtempSync(join(tmpdir(), 'verdict-package-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  mkdirSync(join(place, 'package'));
  writeFileSync(join(place, 'package/package.json'), '{"name":"cents","version":"1.0.0"}');
  writeFileSync(join(place, 'package/index.js'), 'module.exports = (units) => units * 100;\n');
  const content = execFileSync('tar', ['-cz', '-C', place, 'package']);
  const at = 'cents/-/cents-1.0.0.tgz';
  const registries = await serveRegistries([{ path: `/npm/${at}`, content }]);
  const installing = await openBench({ warm: 0, cache: join(place, 'cache'), npm: registries.npm });
  onTestFinished(async () => {
    await installing.close();
    await registries.stop();
  });
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const root = { name: 'till', dependencies: { cents: '1.0.0' } };
  const cents = { version: '1.0.0', resolved: `https://registry.npmjs.org/${at}`, integrity };
  const packages = { '': root, 'node_modules/cents': cents };
  const project = projectOfFiles({
    ...{ name: 'till', ecosystem: 'javascript', command: 'npm test' },
    files: {
      'package.json': JSON.stringify({ ...root, scripts: { test: 'node --test' } }),
      'package-lock.json': JSON.stringify({ name: 'till', lockfileVersion: 3, packages }),
      'till.js': "const cents = require('cents');\nmodule.exports = (units, rest) => cents(units) + rest;\n",
      'till.test.js':
        "const { test } = require('node:test');\nconst { equal } = require('node:assert');\nconst till = require('./till.js');\ntest('sum', () => equal(till(3, 4), 304));\n",
    },
  });
  const made = await prepared(await installing.placeFor(project), project, 1, patient);
  if (typeof made === 'string') throw new Error(made);
  const cases = casesOf(made, false).filter(
    ({ way, kind }) => way === 'check' && /^(?:the repair|nothing)$/.test(kind),
  );
  const found: Judged[] = [];
  for (const each of cases) found.push(await judged(each));
  expect(found.map(({ kind, paid, hasPackages }) => [kind, paid, hasPackages])).toEqual([
    ['the repair', true, true],
    ['nothing', false, true],
  ]);
});

test('a defect changes one line, and the same seed makes the same defects', () => {
  const project = ownProjects().find(({ name }) => name === 'own-cart')!;
  const some = (seed: number) =>
    [...defectsOf(project, chance(seed))].slice(0, 5).map(({ tree, path }) => textOf(tree, path));
  const before = textOf(project.tree, 'cart.js').split('\n');
  for (const text of some(3)) expect(text.split('\n').filter((line, at) => line !== before[at])).toHaveLength(1);
  expect(some(3)).toEqual(some(3));
  expect(some(3)).not.toEqual(some(4));
});

test('an interval by Wilson is as in its tables', () => {
  const { low, high } = shareOf(0, 10);
  expect([low, high].map((each) => each.toFixed(4))).toEqual(['0.0000', '0.2775']);
  expect(shareOf(81, 263)).toMatchObject({ low: expect.closeTo(0.2553, 3), high: expect.closeTo(0.3662, 3) });
  expect(shareOf(0, 0)).toMatchObject({ low: 0, high: 1 });
});

test('the page names each wrong verdict, and the plot has a point for each ecosystem', () => {
  const right: Judged = {
    ...{
      project: 'good',
      ecosystem: 'go',
      origin: 'debian',
      hasPackages: false,
      group: 'honest',
      kind: 'the repair',
      way: 'tests',
    },
    ...{ deserved: true, paid: true, score: 59, proof: 'exit_code', evidence: 'passes', ms: 1 },
  };
  const fooled: Judged = { ...right, project: 'bad', group: 'cheat', kind: 'a | trick', deserved: false, ms: 2 };
  const run = {
    seed: 1,
    day: '2026-11-26',
    projects: [],
    notUsed: [{ name: 'gone', why: 'it cannot be had' }],
    minutes: 1,
  };
  const text = page({ ...run, judged: [right, fooled] });
  expect(text).toContain("| bad | by the project's own tests | a ¦ trick | accepted, 59, exit_code | passes |");
  expect(text).toContain('| gone | it cannot be had |');
  expect(plot([right, fooled]).match(/<circle [^>]*><title>/g)).toHaveLength(2);
});

test('an archive with another digest is not had, and leaves nothing', async () => {
  const server = createServer((_request, reply) => reply.end('other bytes')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as { port: number }).port}/`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const pin = { npm: 'some@1.0.0', sha256: '0'.repeat(64) };
  await expect(unpacked(cache, 'some', pin)).rejects.toThrow(NotHad);
  await expect(unpacked(cache, 'some', pin)).rejects.toThrow('has the SHA-256');
});
