import { type Deprecated, deprecations, nameOf, noticeDays } from './deprecation.ts';
import type { Operation } from './operation.ts';
import { fullPath, operations } from './operations.ts';

/** What a release changed for callers, newest first. Written by hand with the change; what ends is added by itself. */
interface ApiRelease {
  version: string;
  /** The day of the release; null until then. */
  on: string | null;
  changes: readonly string[];
}

const releases: readonly ApiRelease[] = [
  {
    version: '0.1.0',
    on: null,
    changes: ['The first version 1 of the API: everything under `/api/v1`.'],
  },
];

const dayOf = (time: string): string => time.slice(0, 10);

const line = (row: Deprecated): string => {
  const { successor, since, sunset, setting } = row.deprecated;
  const until = dayOf(sunset) + (setting === undefined ? '' : ', unless the operator has set another date');
  const instead = successor === undefined ? '' : `\`${fullPath({ ...row, path: successor })}\``;
  return `| \`${nameOf(row)}\` | ${dayOf(since)} | ${until} | ${instead} |`;
};

/** The page of changes to the API, in Markdown: what ends, and what each release changed. */
export function apiChangelog(rows: readonly Operation[] = Object.values(operations)): string {
  const ending = deprecations(rows);
  return [
    '# Changes of the API',
    '',
    'Version 1 changes only in ways that break no caller: new operations, new optional fields of requests and new fields of',
    'replies. What is to end is announced here, in the replies and to the owners that use it, at least',
    `${noticeDays} days before.`,
    '',
    '## What ends',
    '',
    ...(ending.length === 0
      ? ['Nothing at present.']
      : ['| what | announced on | ends on | use instead |', '| --- | --- | --- | --- |', ...ending.map(line)]),
    ...releases.flatMap(({ version, on, changes }) => [
      '',
      `## ${version} (${on ?? 'not released yet'})`,
      '',
      ...changes.map((change) => `- ${change}`),
    ]),
    '',
  ].join('\n');
}
