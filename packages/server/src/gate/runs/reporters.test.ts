import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { steeringFiles } from './reports.ts';

const preload = fileURLToPath(new URL('../../../reporters/node/preload.cjs', import.meta.url));

/** What a program at the path of a runner tells before it does anything, started in a directory with these files. */
function toldBy(program: string, files: string[], args: string[] = []) {
  const place = mkdtempSync(join(tmpdir(), 'runner-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const [work, report] = [join(place, 'workspace'), join(place, 'report')];
  for (const directory of [work, report, join(place, program, '..')]) mkdirSync(directory, { recursive: true });
  for (const file of files) writeFileSync(join(work, file), '');
  writeFileSync(join(place, program), '');
  const { status, stderr } = spawnSync(process.execPath, ['--require', preload, join(place, program), ...args], {
    cwd: work,
    env: { ...process.env, AGORA_REPORT: report },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const texts = readdirSync(report).map((name) => readFileSync(join(report, name), 'utf8'));
  const found = texts.map((text) => ({ path: 'node.jsonl', text: text.replaceAll(work, '/workspace') }));
  return steeringFiles({ files: found });
}

test.each([
  ['node_modules/mocha/bin/mocha.js', ['.mocharc.yml', 'a.js'], ['.mocharc.yml']],
  ['node_modules/ava/entrypoints/cli.mjs', ['ava.config.js'], ['ava.config.js']],
  ['node_modules/@tapjs/run/dist/esm/index.mjs', ['.taprc'], ['.taprc']],
])('%s is steered by the settings beside it', (program, files, settings) => {
  expect(toldBy(program, files)).toEqual(settings);
});

test('and by those that its command names', () => {
  const told = toldBy(
    'node_modules/mocha/bin/mocha.js',
    ['a.json', 'b.json'],
    ['--config', 'a.json', '--config=b.json'],
  );
  expect(told).toEqual(['a.json', 'b.json']);
});
