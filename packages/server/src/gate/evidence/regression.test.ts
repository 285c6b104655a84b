import { describe, expect, test } from 'vitest';
import { type Case, gate, row, sandboxes, useHostSandboxes } from '../../../test/support/gate/case.ts';
import { laid } from '../../../test/support/gate/host-sandbox.ts';
import type { SandboxFile } from '../../sandbox/index.ts';
import { declaredStep } from './project-steps.ts';

useHostSandboxes();

/** A project whose build and linter are plain commands, so that every machine has them. */
const manifest = (scripts: Record<string, string>) => JSON.stringify({ type: 'module', scripts });
const project = {
  'package.json': manifest({ build: 'node --check main.js', lint: '! grep -n TODO main.js' }),
  'main.js': 'console.log(1);\n',
};
const deliver = (files: Record<string, string>, more: Partial<Case> = {}): Case => ({
  taskType: 'refactor',
  original: project,
  delivered: { ...project, ...files },
  ...more,
});

describe("the project's build", () => {
  test('that succeeded before and fails now fails the delivery', async () => {
    const verdict = await gate(deliver({ 'main.js': 'console.log(;\n' }));
    expect(row(verdict, 'build')).toMatchObject({ score: 0, weight: 0 });
    expect(row(verdict, 'build')?.evidence).toMatch(/^npm run build succeeded before and fails now\. Exit code 1\./);
    expect(verdict).toMatchObject({ score: 40, passed: false });
  });

  test('that succeeds proves nothing', async () => {
    const verdict = await gate(deliver({ 'main.js': 'console.log(2);\n' }));
    expect(row(verdict, 'build')).toMatchObject({ score: 100, weight: 0, evidence: 'npm run build succeeds.' });
    expect(verdict.score).toBe(60);
  });

  test('that failed before already is not held against the work', async () => {
    const original = { ...project, 'main.js': 'console.log(;\n' };
    const verdict = await gate({ taskType: 'refactor', original, delivered: { ...original, 'notes.md': 'x' } });
    expect(row(verdict, 'build')).toMatchObject({ score: null });
    expect(row(verdict, 'build')?.evidence).toMatch(/failed before the work already; not held against it/);
    expect(verdict.score).toBe(60);
  });

  test('is not run over a delivery that changed nothing, nor for work that is no change of code', async () => {
    expect(row(await gate(deliver({})), 'build')).toBeUndefined();
    expect(row(await gate(deliver({ 'main.js': 'x(' }, { taskType: 'code_review' })), 'build')).toBeUndefined();
  });

  test('is not run where its tool is missing', async () => {
    sandboxes.missing.add('npm');
    const verdict = await gate(deliver({ 'main.js': 'console.log(;\n' }));
    expect(row(verdict, 'build')).toMatchObject({ score: null, evidence: 'Not run: npm is not in the sandbox.' });
  });

  test('that only the agent declared is not run', async () => {
    const original = { 'main.js': project['main.js'] };
    const verdict = await gate({ taskType: 'refactor', original, delivered: { ...project, 'main.js': 'x(' } });
    expect(row(verdict, 'build')).toBeUndefined();
  });
});

describe("the project's linter", () => {
  const todo = { 'main.js': 'console.log(1); // TODO\n' };

  test('that complains where it did not before keeps the score at 55, for a judge to see', async () => {
    const verdict = await gate(deliver(todo));
    expect(row(verdict, 'lint')?.evidence).toMatch(/^npm run lint succeeded before and fails now\./);
    expect(verdict).toMatchObject({ score: 55, passed: true });
    const checks = [{ name: 'runs', command: 'node main.js' }];
    expect(await gate(deliver(todo, { acceptance: { checks } }))).toMatchObject({ score: 55, passed: true });
  });

  test("is the buyer's: neither its script nor its settings can be turned off", async () => {
    const scripts = { build: 'node --check main.js', lint: 'true' };
    const off = await gate(deliver({ ...todo, 'package.json': manifest(scripts) }));
    expect(row(off, 'lint')?.score).toBe(0);
    const lint = '! grep -n "$(cat biome.json)" main.js';
    const original = { ...project, 'package.json': manifest({ lint }), 'biome.json': 'TODO' };
    const given = { taskType: 'refactor', original } as const;
    const relaxed = await gate({ ...given, delivered: { ...original, ...todo, 'biome.json': 'nothing at all' } });
    expect(row(relaxed, 'lint')?.score).toBe(0);
  });

  test('may be changed where that is the work', async () => {
    const delivered = { ...todo, 'package.json': manifest({ lint: 'true' }) };
    expect(row(await gate(deliver(delivered, { taskType: 'devops' })), 'lint')?.score).toBe(100);
  });
});

describe('what a project declares', () => {
  const of = (files: Record<string, string>): SandboxFile[] => laid(files);
  test.each<[string, Record<string, string>, string | null, string | null]>([
    ['npm scripts', project, 'npm run build', 'npm run lint'],
    [
      'a type check where there is no linter',
      { 'package.json': manifest({ typecheck: 'tsc' }) },
      null,
      'npm run typecheck',
    ],
    ['make targets', { Makefile: 'build:\n\tcc\nlint:\n\tx\n' }, 'make -B build', 'make -B lint'],
    ['Go', { 'go.mod': 'module x\n' }, 'go build ./...', 'go vet ./...'],
    ['Rust', { 'Cargo.toml': '[package]\n' }, 'cargo build --offline', null],
    ['ruff', { 'pyproject.toml': '[tool.ruff]\n' }, null, 'ruff check .'],
    ['another tool of Python', { 'pyproject.toml': '[tool.black]\n' }, null, null],
    ['nothing', { 'README.md': 'build:\n' }, null, null],
  ])('%s', (_name, files, build, lint) => {
    expect(declaredStep('build', of(files))?.command ?? null).toBe(build);
    expect(declaredStep('lint', of(files))?.command ?? null).toBe(lint);
  });

  test('is what stands nearest to the root', () => {
    const files = {
      'sub/package.json': manifest({ build: 'b' }),
      'a/b/Makefile': 'build:\n',
      'node_modules/x/package.json': '',
    };
    expect(declaredStep('build', of(files))).toEqual({ command: 'npm run build', tool: 'npm', directory: 'sub' });
  });

  test('is that of the whole project, not of one package in it', () => {
    const files = { 'package.json': manifest({ test: 't' }), 'packages/a/package.json': manifest({ build: 'b' }) };
    expect(declaredStep('build', of(files))).toBeNull();
    const make = { ...files, 'packages/a/Makefile': 'build:\n' };
    expect(declaredStep('build', of(make))).toMatchObject({ command: 'make -B build', directory: 'packages/a' });
  });
});
