import {
  apiPrefix,
  maxBodyBytes,
  maxBodyCommas,
  maxBodyLongNumbers,
  maxBodyNames,
  type Operation,
  operations,
} from '@agora-market/contract';
import { expect } from 'vitest';
import { atOnce, type HostileCase, times } from '../hostile-case.ts';

/** What every operation reads before any rule runs. A new operation is among them by itself. */

const all = Object.values<Operation>(operations);
const withBody = all.filter(({ body, rawBody }) => body ?? rawBody);

/** As much of a piece as fits a body beside what stands around it. */
const fill = (piece: string, around = 64) => piece.repeat(Math.floor((maxBodyBytes - around) / piece.length));
const keys = (most = Infinity) => {
  const parts: string[] = [];
  for (let bytes = 2, at = 0; bytes < maxBodyBytes - 32 && at < most; at++) {
    parts.push(`"k${at}":0`);
    bytes += parts.at(-1)!.length + 1;
  }
  return `{${parts.join(',')}}`;
};

const bodies: Record<string, string> = {
  'a string of a megabyte': `{"input":"${fill('x')}"}`,
  'a string of escapes': `{"input":{"a":"${fill('\\u0041')}"}}`,
  'a string of backslashes': `{"input":"${fill('\\\\')}`,
  'half a million brackets': `{"input":${fill('[')}`,
  'half a million empty arrays': `{"input":[${fill('[],', 70)}0]}`,
  'eight thousand free keys of an input': `{"taskType":"general","maxBudget":1,"input":{${times(8_000)
    .map((n) => `"descripton${n}":0`)
    .join()}}}`,
  'as many empty arrays as are parsed': `{"input":[${'[],'.repeat(maxBodyCommas - 2)}0]}`,
  'digits alone': `{"maxBudget":${fill('9')}}`,
  'numbers that a double does not hold': `{"input":[${fill('9007199254740993,', 100)}0]}`,
  'as many long numbers as are parsed': `{"input":[${'9007199254740993,'.repeat(maxBodyLongNumbers)}0]}`,
  'blanks alone': fill(' ', 0),
  'quotes alone': fill('"', 0),
};

const bodyCase = (input: string, body: string, some = withBody): HostileCase => ({
  place: 'http: bodies',
  input: `${input}, to ${some.length} operations`,
  prepare: async ({ send }) => {
    return () =>
      atOnce(some, 2, async (operation) => {
        expect(await send(operation, { body }), operation.id).toBeLessThan(500);
      });
  },
});

const everywhere = (place: string, input: string, some: Operation[], request: { query?: string; param?: string }) => ({
  place,
  input: `${input}, to ${some.length} operations`,
  prepare: async ({ send }: Parameters<HostileCase['prepare']>[0]) => {
    return () =>
      atOnce(some, 4, async (operation) => {
        expect(await send(operation, request), operation.id).toBeLessThan(500);
      });
  },
});

/** What Node takes as the head of a request, less some room. */
const headBytes = 15 * 1024;

export const httpCases: HostileCase[] = [
  ...Object.entries(bodies).map(([input, body]) => bodyCase(input, body)),
  bodyCase('90,000 unknown keys', keys()),
  bodyCase('as many unknown keys as are parsed', keys(maxBodyNames)),
  everywhere(
    'http: queries',
    '5,000 parameters',
    all.filter(({ query }) => query),
    { query: times(5_000).join('&').slice(0, headBytes) },
  ),
  everywhere(
    'http: queries',
    'a cursor of broken escapes',
    all.filter(({ query }) => query),
    { query: `cursor=${'%25zz'.repeat(headBytes / 5)}` },
  ),
  everywhere(
    'http: paths',
    'a parameter of 500 characters',
    all.filter(({ params }) => params),
    { param: 'tsk_'.repeat(125) },
  ),
  {
    place: 'http: headers',
    input: 'each header that is read, of 15 KB',
    prepare: async ({ server }) => {
      const headers = [
        'authorization',
        'x-api-key',
        'idempotency-key',
        'x-correlation-id',
        'x-forwarded-for',
        'accept',
      ];
      const texts = ['Bearer '.repeat(2_000), '1.2.3.4, '.repeat(1_500), 'a'.repeat(headBytes), ','.repeat(headBytes)];
      return () =>
        atOnce(
          headers.flatMap((header) => texts.map((text) => ({ [header]: text.slice(0, headBytes) }))),
          4,
          async (each) => {
            const response = await fetch(`${server.url()}${apiPrefix}/tasks`, { headers: each });
            await response.arrayBuffer();
            expect(response.status).toBeLessThan(500);
          },
        );
    },
  },
];
