import { fullPath, type Operation, type OperationId, operations } from '@agora-market/contract';
import type { Row, Section } from './row.ts';

const rowsOf = Object.entries(operations) as [OperationId, Operation][];

/** The operations that a row is about. */
export const operationsOf = ({ operations: named = [], errors = [] }: Row): string[] => [
  ...new Set([...named, ...errors.map((pair) => pair.split(' ')[0] as string)]),
];

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${text}\``;

function shownBy({ errors = [], tests = {} }: Row): string {
  const named = Object.entries(tests).flatMap(([file, titles]) => titles.map((title) => `${file}: “${title}”`));
  return cell([...errors.map(code), ...named].join('<br>'));
}

const statusOf = ({ notYet }: Row): string => (notYet ? `not yet: ${notYet}` : 'tested');

const line = (row: Row): string =>
  `| ${cell(row.line)} | ${operationsOf(row).map(code).join(' ')} | ${shownBy(row)} | ${statusOf(row)} |`;

const part = ({ title, rows }: Section): string =>
  [`## ${title}`, '', '| line | operations | shown by | status |', '| --- | --- | --- | --- |', ...rows.map(line)].join(
    '\n',
  );

/** Operations that no line of the specification asks for. */
function beyond(sections: Section[]): string {
  const asked = new Set(sections.flatMap(({ rows }) => rows.flatMap(operationsOf)));
  const lines = rowsOf
    .filter(([id]) => !asked.has(id))
    .map(
      ([id, row]) => `| ${code(id)} | ${code(`${row.method} ${fullPath(row)}`)} | ${row.errors.map(code).join(' ')} |`,
    );
  return ['## Beyond the specification', '', '| operation | path | errors |', '| --- | --- | --- |', ...lines].join(
    '\n',
  );
}

/** The page `docs/spec-coverage.md`. */
export function coveragePage(sections: Section[]): string {
  const rows = sections.flatMap((each) => each.rows);
  const open = rows.filter(({ notYet }) => notYet).length;
  const pairs = rowsOf.reduce((sum, [, row]) => sum + row.errors.length, 0);
  return `${[
    '# What shows that the specification holds',
    `Each line of the specification, the operations that do it, and the tests that fail if it is broken. Of ${rows.length} lines ${open} are not done yet. This page is generated: \`npx vitest run packages/server/test/spec -u\`. The rows stand in \`packages/server/test/spec\`. A test fails on a line without a test, and on a test, operation or error that does not exist.`,
    `A test is named by its file below \`packages/\` without \`.test.ts\`, and its title. An operation with an error code means the scenario in \`packages/server/test/registry\` that brings it about. Every error that an operation declares has one: \`registry/contract-errors.test.ts\` tries all ${pairs}.`,
    ...sections.map(part),
    beyond(sections),
  ].join('\n\n')}\n`;
}
