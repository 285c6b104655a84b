import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, errors, operations } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { authentication } from './authentication.ts';
import { endpoints } from './endpoints.ts';
import { conflict, errorShape, gone, notFound, others, paymentRequired, unauthenticated } from './errors.ts';
import { badRequests } from './errors-400.ts';
import { forbidden } from './errors-403.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { coveragePage, operationsOf } from './page.ts';
import { purpose } from './purpose.ts';
import { resources } from './resources.ts';
import type { Row, Section } from './row.ts';
import { states } from './states.ts';
import { means, titlesOf } from './titles.ts';
import { versioning } from './versioning.ts';

/** Keeps docs/spec-coverage.md true: each line of the specification has something that shows it. */

const sections: Section[] = [
  ...[purpose, resources, states, endpoints, authentication, events, errorShape, badRequests, unauthenticated],
  ...[paymentRequired, forbidden, notFound, conflict, gone, others, limits, versioning],
];
const rows = sections.flatMap((section) => section.rows);

const packages = fileURLToPath(new URL('../../../', import.meta.url));
const titles = new Map<string, string[]>();
function titlesIn(file: string): string[] {
  // In whichever tier it runs.
  const path = ['test', 'deep.test'].map((end) => `${packages}${file}.${end}.ts`).find(existsSync);
  if (!titles.has(file)) titles.set(file, path === undefined ? [] : titlesOf(readFileSync(path, 'utf8')));
  return titles.get(file) as string[];
}

/** What is wrong with a row; empty if nothing is. */
function gapsOf(row: Row): string[] {
  const { tests = {}, errors: pairs = [], notYet } = row;
  const named = Object.entries(tests).flatMap(([file, wanted]) => wanted.map((title) => [file, title] as const));
  return [
    ...(named.length + pairs.length === 0 && !notYet ? ['nothing shows it'] : []),
    ...operationsOf(row).flatMap((id) => (id in operations ? [] : [`${id} is no operation`])),
    ...pairs.flatMap((pair) => {
      const [id, code] = pair.split(' ') as [keyof typeof operations, never];
      return (operations[id]?.errors as readonly string[])?.includes(code) ? [] : [`${pair} is not declared`];
    }),
    ...named.flatMap(([file, title]) => {
      const found = titlesIn(file).filter((each) => means(title, each)).length;
      return found === 1 ? [] : [`${file}.test.ts has ${found} tests “${title}”`];
    }),
  ];
}

test('every line of the specification has what shows it, and all that is named exists', () => {
  expect(rows.flatMap((row) => gapsOf(row).map((gap) => `${row.line}: ${gap}`))).toEqual([]);
});

test('the errors of a section are of its status', () => {
  for (const { status, rows: own } of sections) {
    const codes = own.flatMap((row) => (row.errors ?? []).map((pair) => pair.split(' ')[1] as ErrorCode));
    if (status) for (const code of codes) expect(`${code} ${errors[code].status}`).toBe(`${code} ${status}`);
  }
});

test('no line stands twice', () => {
  const lines = sections.flatMap(({ title, rows: own }) => own.map(({ line }) => `${title}: ${line}`));
  expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
});

test('docs/spec-coverage.md is what the rows say', async () => {
  await expect(coveragePage(sections)).toMatchFileSnapshot('../../../../docs/spec-coverage.md');
});

describe('a gap is found where', () => {
  const real = { 'server/test/spec/coverage': ['no line stands twice'] };
  test.each<[string, Row, RegExp | null]>([
    ['nothing is named', { line: 'x' }, /nothing shows it/],
    ['a file does not exist', { line: 'x', tests: { 'server/test/nowhere': ['x'] } }, /0 tests/],
    ['a title does not exist', { line: 'x', tests: { 'server/test/spec/coverage': ['line stands'] } }, /0 tests/],
    ['an operation does not exist', { line: 'x', tests: real, operations: ['no.such' as never] }, /no operation/],
    ['an error is not declared', { line: 'x', errors: ['agents.me DUPLICATE' as never] }, /not declared/],
    ['nothing is wrong, not', { line: 'x', tests: real, operations: ['agents.me'] }, null],
  ])('%s', (_where, row, gap) => {
    if (gap) expect(gapsOf(row).join()).toMatch(gap);
    else expect(gapsOf(row)).toEqual([]);
  });
});
