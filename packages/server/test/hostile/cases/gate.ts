import type { Body } from '@agora-market/sdk';
import { expect } from 'vitest';
import { atOnce, type HostileCase, times } from '../hostile-case.ts';

/** What the gate reads: the buyer's files, the delivered ones, and what commands print over them. */

type Input = NonNullable<Body<'tasks.submit'>['input']>;

interface Delivery {
  taskType?: Body<'tasks.submit'>['taskType'];
  files?: Record<string, string>;
  acceptance?: Input['acceptance'];
  /** Run in the agent's sandbox: makes the work. */
  work: string;
}

/** Each input is delivered for this many tasks at once. */
const width = 2;
const everyMs = 50;

const delivered = (place: string, input: string, { taskType, work, ...given }: Delivery): HostileCase => ({
  place,
  input: `${input}, ${width} deliveries at once`,
  prepare: async ({ task, pair }) => {
    const { agora } = pair.agent;
    const { buyer } = pair;
    const deliver = async () => {
      const id = await task({ description: 'Mend it', ...given }, { taskType: taskType ?? 'refactor' });
      expect((await agora.sandbox.exec(id, { command: work })).data).toMatchObject({ exitCode: 0 });
      let { status } = await agora.tasks.complete(id, { output: { result: 'Mended.' } });
      while (status === 'quality_check') {
        await new Promise((resolve) => setTimeout(resolve, everyMs));
        ({ status } = await buyer.agora.tasks.get(id));
      }
      expect(['completed', 'failed']).toContain(status);
    };
    return () => atOnce(times(width), width, deliver);
  },
});

const megabyte = 1 << 20;
/** The buyer's script is the buyer's again before it runs, so it starts one of the agent's. */
const project = {
  'package.json': '{"scripts":{"test":"sh run.sh"}}',
  'run.sh': 'test -f work.sh || exit 1\n. ./work.sh\n',
  'test/a.txt': '',
};
/** A test run that says so much of it, and then ends so. */
const printing = (piece: string, bytes = megabyte, exit = 0) =>
  `printf '%s\\n' 'yes "${piece}" | head -c ${bytes}; exit ${exit}' > work.sh`;
/** A test run that leaves so much of it in a file of reports. */
const reporting = (name: string, begin: string, piece: string, bytes = 15 * megabyte) =>
  `printf '%s\\n' '{ echo "${begin}"; yes "${piece}" | head -c ${bytes}; } > $AGORA_REPORT/${name}' > work.sh`;
const tests = (count: number) =>
  Object.fromEntries(times(count).map((nth) => [`test/t${nth}.test.js`, "import 'node:test';\n"]));
const chain = (count: number) =>
  Object.fromEntries(times(count).map((nth) => [`scripts/s${nth}.sh`, `# sh scripts/s${nth + 1}.sh\n`]));
const filled = (path: string, piece: string, bytes: number) => `yes '${piece}' | head -c ${bytes} > ${path}`;

const lines = (line: string, bytes: number) => `${line}\n`.repeat(bytes / (line.length + 1));

export const gateCases: HostileCase[] = [
  delivered('gate: changed files', 'ordered tests of 190 KB of code that could have defects anywhere', {
    taskType: 'testing',
    files: { ...project, 'work.js': lines('a = b + 1 < 2 && c + 1 === d + 1;', 190_000) },
    work: `printf 'true\n' > work.sh; yes 'work(1, 2, 3) + 1' | head -c ${megabyte} > tests.js`,
  }),
  delivered('gate: test reports', 'a line of a megabyte of digits', {
    files: project,
    work: `printf '%s\\n' 'printf "test result: ok. 1 passed; "; head -c ${megabyte} /dev/zero | tr "\\0" 1' > work.sh`,
  }),
  delivered('gate: test reports', 'a megabyte of listed files, beside 900 test files', {
    files: { ...project, ...tests(900) },
    work: printing('ok 1 - /a/b.js'),
  }),
  delivered('gate: test reports', '15 MB of tests, one a line', {
    files: project,
    work: reporting('a.jsonl', '', '{\\"file\\":\\"a\\",\\"name\\":\\"b\\",\\"status\\":\\"passed\\"}'),
  }),
  delivered('gate: test reports', '15 MB of elements, each in the one before', {
    files: project,
    work: reporting('a.xml', '<testsuites>', '<testsuite>'),
  }),
  delivered('gate: test reports', '15 MB of tests in XML', {
    files: project,
    work: reporting('a.xml', '<testsuites>', '<testcase name=\\"a\\"/>'),
  }),
  delivered('gate: test reports', '15 MB of lines of TAP', {
    files: project,
    work: reporting('a.tap', 'TAP version 13', 'ok 1 - a'),
  }),
  delivered('gate: missing commands', '47,000 complaints', {
    files: { ...project, 'requirements.txt': 'a\n'.repeat(50_000) },
    work: printing('No module named b', megabyte, 1),
  }),
  delivered('gate: named scripts', 'a chain of 900 scripts, beside three checks', {
    files: { ...project, ...chain(900) },
    acceptance: { checks: times(3).map((nth) => ({ name: `check ${nth}`, command: `sh scripts/s${nth}.sh` })) },
    work: 'true',
  }),
  delivered('gate: changed files', '20,000 files', {
    files: project,
    work: 'mkdir many; cd many; i=0; while [ $i -lt 20000 ]; do : > "file-with-a-longer-name-$i"; i=$((i+1)); done',
  }),
  delivered('gate: changed files', 'a package.json of half a million numbers, 250 levels deep', {
    files: project,
    work: `{ printf '{"a":'; ${"printf '[%.0s' $(seq 250)"}; yes 1, | head -c 900000 | tr -d '\\n'; printf 1; ${"printf ']%.0s' $(seq 250)"}; printf '}'; } > package.json`,
  }),
  delivered('gate: secrets', 'three files of a megabyte of beginnings of tokens', {
    files: project,
    work: times(3)
      .map((nth) => filled(`f${nth}`, 'sk-proj-', megabyte))
      .join('; '),
  }),
  delivered('gate: lockfiles', 'a megabyte of blank lines, and one of names', {
    files: project,
    work: `${filled('requirements.txt', '', megabyte)}; ${filled('go.mod', 'a.b/c', megabyte)}`,
  }),
  delivered('gate: lockfiles', '50,000 pinned packages', {
    files: project,
    work: 'seq 50000 | sed "s/.*/package-&==1.0.&/" > requirements.txt',
  }),
];
