import { REPORTERS_PATH as place, type Sandbox } from '../../sandbox/index.ts';
import { findsLayers } from '../sandboxes/layered.ts';
import type { ReportFile } from './reports.ts';

/** How runners are brought to report each test, whatever starts them: by reporters, variables and a program each. */

const reports = '/tmp/agora-report';

const nodeOptions = [
  `--require=${place}/node/preload.cjs`,
  ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
  ...[`--test-reporter=${place}/node/node-test.mjs`, '--test-reporter-destination=stdout'],
];

/** For the command that may run tests. */
export const reportEnv: Record<string, string> = {
  AGORA_REPORT: reports,
  NODE_OPTIONS: nodeOptions.join(' '),
  PYTHONUSERBASE: `${place}/user`,
  GOFLAGS: '-v -count=1',
  SPEC_OPTS: `--format progress --format json --out ${reports}/rspec.json`,
  // After PHP's own settings.
  PHP_INI_SCAN_DIR: `:${place}/php`,
  PERL_TEST_HARNESS_DUMP_TAP: `${reports}/tap`,
  VSTestLogger: 'trx',
  VSTestResultsDirectory: reports,
};

/** A tool that is missing stays missing. */
const wrapping = (tool: string) =>
  `agora=$(command -v ${tool}) && export AGORA_${tool.toUpperCase()}=$agora PATH="${place}/tools/${tool}:$PATH"`;

/** In the line of the command, so that the numbers of its lines stay as they are. */
const beginning = [
  `mkdir -p ${reports} && : > ${reports}/.begun`,
  ...['node', 'make'].map(wrapping),
  'unset agora; ',
].join('; ');

/** The command with its reports. It takes `reportEnv` besides. */
export const reporting = (command: string): string => beginning + command;

/** More than a hundred thousand tests with names of ordinary length. */
const maxBytes = 16 * 1024 * 1024;
const maxFiles = 2_000;
const collectMs = 20_000;

/** Where runners write by themselves; only what this run has written. */
const ownPlaces = ['*/surefire-reports/TEST-*.xml', '*/failsafe-reports/TEST-*.xml', '*/build/test-results/*.xml'];
const ownReports = [...ownPlaces, '*/meson-logs/testlog.junit.xml'].map((path) => `-path '${path}'`).join(' -o ');

/** Each file's path and text, with a zero after either. One process where there is none, because it follows each command. */
const collecting = (layered: readonly string[]) =>
  [
    `exec find ${reports} /workspace '(' ${findsLayers(layered, '/workspace')}-name node_modules ')' -prune -o -type f`,
    `'(' -path '${reports}/*' ! -name .begun -o '(' ${ownReports} ')' -newer ${reports}/.begun ')'`,
    `-exec sh -c 'for it; do printf "%s\\0" "$it"; cat "$it"; printf "\\0"; done' sh {} +`,
  ].join(' ');

/** What the last command of a sandbox reports. Empty where that takes too long, or the sandbox cannot answer. */
export async function collectReports(sandbox: Sandbox): Promise<ReportFile[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  const full = new AbortController();
  await sandbox.execStreamed(
    { command: collecting(sandbox.layered), timeoutMs: collectMs, isOwn: true },
    async ({ stream, bytes }) => {
      if (stream === 'stderr' || full.signal.aborted) return;
      size += bytes.length;
      if (size > maxBytes) full.abort();
      else chunks.push(bytes);
    },
    full.signal,
  );
  // What was cut off is missing, which is no pass.
  const parts = Buffer.concat(chunks).toString('utf8').split('\0');
  const files: ReportFile[] = [];
  for (let at = 0; at + 2 < parts.length && files.length < maxFiles; at += 2)
    files.push({ path: parts[at]!, text: parts[at + 1]! });
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
