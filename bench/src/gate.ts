import { parseArgs } from 'node:util';
import { assess, createBaselines } from '@agora-market/server/gate';
import {
  createSandboxDriver,
  DEFAULT_LIMITS,
  type Sandbox,
  Sandboxes,
  type SandboxFile,
} from '@agora-market/server/sandbox';
import { keepResults, shown, spreadOf } from './measure/results.ts';

/**
 * Measures the quality gate beyond its commands: the time of one assessment, without the time in which a command of the
 * buyer or project ran. For comparison it measures in the same rounds the minimum for running these commands
 * separately: a sandbox for each, its workspace, the command, and its end.
 */

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, 'dry-run': { type: 'boolean', default: false } },
});
const driver = createSandboxDriver({ driver: 'bwrap', installationId: `bench-gate-${process.pid}` });
/** Where the server's gate has its sandboxes from, with as many standing ready as `SANDBOX_WARM` keeps by default. */
const sandboxes = new Sandboxes({
  driver,
  clock: { now: () => new Date() },
  limits: DEFAULT_LIMITS,
  lifetimeMs: 600_000,
  warm: { bwrap: 2 },
});
let opened = 0;
const open = async () => (await sandboxes.create(`gate-${++opened}`)).sandbox;

const files = (texts: Record<string, string>): SandboxFile[] =>
  Object.entries(texts).map(([path, text]) => ({ path, content: Buffer.from(text) }));
/** A small project whose tests take a moment or a quarter of a second. */
const project = (pause: string) => ({
  Makefile: 'test:\n\tsh test/run.sh\n',
  'sum.sh': 'echo $(($1 - $2))\n',
  'test/run.sh': `${pause}test "$(sh sum.sh 2 2)" = 4\n`,
  ...Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`src/part-${nth}.sh`, `echo ${nth}\n`.repeat(50)])),
});
const check = (pause: string, nth: number) => {
  const command = `${pause}test "$(sh sum.sh 40 ${nth})" = ${40 + nth}`;
  return { name: `check ${nth}`, command, weight: 1 };
};

interface Contest {
  name: string;
  /** Before each command, so that it takes longer. */
  pause: string;
  checks: number;
  /** Whether the agent delivered a workspace; its tests are run then. */
  workspace: boolean;
  score: number;
  atMostMs?: number;
}

const quarter = 'sleep 0.25; ';
const contests: Contest[] = [
  { name: 'an output alone', pause: '', checks: 0, workspace: false, score: 60 },
  { name: 'tests of 0.25 s', pause: quarter, checks: 0, workspace: true, score: 59, atMostMs: 30 },
  { name: 'tests and a check of 0.25 s', pause: quarter, checks: 1, workspace: true, score: 59, atMostMs: 30 },
  { name: 'tests of no time', pause: '', checks: 0, workspace: true, score: 59 },
  { name: 'tests and a check of no time', pause: '', checks: 1, workspace: true, score: 59 },
];

async function archiveOf(texts: Record<string, string>): Promise<Buffer> {
  const sandbox = await open();
  for (const file of files(texts)) await sandbox.write(file);
  const archive = await sandbox.exportWorkspace(1 << 28);
  await sandbox.destroy();
  return archive;
}

/** The sandbox with a stop-watch over the declared commands. */
function timed(sandbox: Sandbox, declared: readonly string[], add: (command: string, ms: number) => void): Sandbox {
  const exec: Sandbox['exec'] = async (request) => {
    const started = performance.now();
    try {
      return await sandbox.exec(request);
    } finally {
      // Before it stands what makes runners report.
      const command = declared.find((each) => request.command.endsWith(each));
      if (command !== undefined) add(command, performance.now() - started);
    }
  };
  return new Proxy(sandbox, {
    get(target, key) {
      if (key === 'exec') return exec;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const baselines = createBaselines();

interface Case {
  contest: Contest;
  checks: ReturnType<typeof check>[];
  original: Record<string, string>;
  before: Buffer;
  after: Buffer;
}

async function caseOf(contest: Contest): Promise<Case> {
  const original = project(contest.pause);
  const mended = { ...original, 'sum.sh': 'echo $(($1 + $2))\n' };
  const checks = Array.from({ length: contest.checks }, (_, nth) => check(contest.pause, nth));
  return { contest, checks, original, before: await archiveOf(original), after: await archiveOf(mended) };
}

/** Gives the time beyond the commands, and the commands that were run. */
async function gateOnce({ contest, checks, original, before, after }: Case) {
  const declared = ['make -B test', ...checks.map(({ command }) => command)];
  const commands: string[] = [];
  let ranMs = 0;
  const openSandbox = async () =>
    timed(await open(), declared, (command, ms) => {
      commands.push(command);
      ranMs += ms;
    });
  const input = { description: 'Make it add', ...(checks.length > 0 && { acceptance: { checks } }) };
  const started = performance.now();
  const verdict = await assess(
    {
      task: {
        id: 'tsk_bench',
        ownerId: 'own_bench',
        taskType: contest.workspace ? 'bug_fix' : 'general',
        input,
        output: { result: 'It adds now.' },
        declaredScore: null,
      },
      workspace: contest.workspace ? { export: async () => after } : null,
      openSandbox,
      originalFiles: files(original),
      originalArchive: before,
    },
    // Runs over the untouched files are known, as for every delivery of a task but the first.
    { baselines },
  );
  const tookMs = performance.now() - started;
  if (verdict.score !== contest.score) throw new Error(`${verdict.score}: ${JSON.stringify(verdict.criteria)}`);
  return { ms: tookMs - ranMs, commands };
}

/** The same commands, each in a sandbox of its own, one after the other; the time beyond them. */
async function byHandOnce(commands: readonly string[], archive: Buffer): Promise<number> {
  let ranMs = 0;
  const started = performance.now();
  for (const command of commands) {
    const sandbox = await open();
    await sandbox.importWorkspace(archive);
    const running = performance.now();
    await sandbox.exec({ command });
    ranMs += performance.now() - running;
    await sandbox.destroy();
  }
  return performance.now() - started - ranMs;
}

const probe = await driver.probe();
if (!probe.available) throw new Error(probe.reason);
try {
  const cases = await Promise.all(contests.map(caseOf));
  const taken = cases.map(() => ({ gate: [] as number[], byHand: [] as number[], runs: 0 }));
  for (let round = -3; round < Number(options.rounds); round += 1) {
    for (const [nth, each] of cases.entries()) {
      // Full again before each run, as for a caller who comes alone.
      await sandboxes.fill();
      const gate = await gateOnce(each);
      await sandboxes.fill();
      const byHand = await byHandOnce(gate.commands, each.after);
      if (round < 0) continue;
      taken[nth]!.gate.push(gate.ms);
      taken[nth]!.byHand.push(byHand);
      taken[nth]!.runs = gate.commands.length;
    }
  }
  const rows = contests.map(({ name, atMostMs }, nth) => {
    const { gate, byHand, runs } = taken[nth]!;
    const row = { name, runs, gate: spreadOf(gate), byHand: spreadOf(byHand), atMostMs };
    const target =
      atMostMs === undefined ? '' : `  target ≤ ${atMostMs}: ${row.gate.median <= atMostMs ? 'met' : 'MISSED'}`;
    const times = (row.gate.median / row.byHand.median).toFixed(2);
    const beside = runs === 0 ? '' : `  ${times} × by hand, ${runs} sandboxes ${shown(row.byHand, 1)}`;
    console.log(`${name.padEnd(30)} ${shown(row.gate, 1)} ms${target}${beside}`);
    return row;
  });
  if (!options['dry-run']) console.log(`\n${keepResults('gate', { rows })} written`);
} finally {
  await sandboxes.destroyAll();
  await driver.reclaim();
  driver.forget?.();
}
