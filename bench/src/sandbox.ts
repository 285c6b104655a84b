import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createSandboxDriver,
  DEFAULT_LIMITS,
  type Layer,
  type Sandbox,
  type SandboxDriver,
} from '@agora-market/server/sandbox';
import { dockerTimes } from './sandbox-docker.ts';
import { timesThroughHttp } from './sandbox-http.ts';
import { warmTimes } from './sandbox-warm.ts';

/**
 * Measures the cost of a sandbox: starting it, running a command in it, keeping it. In the same run it measures a
 * bubblewrap per command (no agent, no limits, no user of its own: the minimum) and no sandbox at all.
 */

interface Row {
  name: string;
  unit: 'ms' | 'MiB';
  p50: number;
  p95: number;
  /** The figure of the issue, where it names one. */
  target?: number;
  /** How many times as much as this row the row called `against` takes. */
  ratio?: { against: string; times: number };
}

const { values: options } = parseArgs({
  options: {
    /** Commands of each kind, and files read. */
    rounds: { type: 'string', default: '200' },
    /** Sandboxes started one after the other. */
    starts: { type: 'string', default: '60' },
    /** Sandboxes that live at once. */
    live: { type: 'string', default: '100' },
  },
});
const [rounds, starts, live] = [options.rounds, options.starts, options.live].map(Number) as [number, number, number];
const MIB = 1024 * 1024;

async function times(once: (round: number) => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const ms = await once(round);
    if (round >= 0) taken.push(ms);
  }
  return taken;
}

function row(name: string, unit: Row['unit'], values: number[], target?: number): Row {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { name, unit, p50: at(0.5), p95: at(0.95), ...(target === undefined ? {} : { target }) };
}

const ended = (child: ChildProcess) => new Promise<void>((done) => child.on('exit', () => done()));

async function spawnOnce(command: string, args: string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  await ended(child);
  if (child.exitCode !== 0) throw new Error(`${command} ended with ${child.exitCode}`);
  return performance.now() - started;
}

function ownBwrap(workspace: string): string[] {
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...['--bind', workspace, '/workspace', '--chdir', '/workspace', '/bin/sh', '-c', 'true'],
  ];
}

/** As many files as the packages of an ordinary project have: 5,000 of 20 KiB. */
function makeLayer(): Layer {
  const directory = mkdtempSync(join(tmpdir(), 'agora-bench-layer-'));
  const content = Buffer.alloc(20 * 1024, 'x');
  for (let nth = 0; nth < 250; nth++) {
    const place = join(directory, 'node_modules', `package-${nth}`);
    mkdirSync(place, { recursive: true });
    for (let file = 0; file < 20; file++) writeFileSync(join(place, `${file}.js`), content);
  }
  return { digest: directory, directory, paths: ['node_modules'], programs: [], environment: {} };
}

async function measureTimes(driver: SandboxDriver): Promise<Row[]> {
  const layer = makeLayer();
  const workspace = mkdtempSync(join(tmpdir(), 'agora-bench-'));
  const cold: number[] = [];
  const destroyed: number[] = [];
  const layered: number[] = [];
  for (let round = -3; round < starts; round++) {
    const started = performance.now();
    const box = await driver.create(`cold-${round}`, DEFAULT_LIMITS);
    await box.exec({ command: 'true' });
    const ready = performance.now();
    await box.destroy();
    const gone = performance.now();
    const full = await driver.create(`layered-${round}`, DEFAULT_LIMITS, { layer });
    await full.exec({ command: 'true' });
    const fullMs = performance.now() - gone;
    await full.destroy();
    if (round < 0) continue;
    cold.push(ready - started);
    destroyed.push(gone - ready);
    layered.push(fullMs);
  }
  const box = await driver.create('warm', DEFAULT_LIMITS);
  // One round of each in turn, so that other work on the machine affects all alike.
  const each: Record<'exec' | 'bwrap' | 'spawn', number[]> = { exec: [], bwrap: [], spawn: [] };
  await times(async (round) => {
    const started = performance.now();
    await box.exec({ command: 'true' });
    const exec = performance.now() - started;
    const bwrap = await spawnOnce('bwrap', ownBwrap(workspace));
    const plain = await spawnOnce('/bin/sh', ['-c', 'true']);
    if (round >= 0)
      for (const [name, ms] of Object.entries({ exec, bwrap, spawn: plain })) each[name as 'exec'].push(ms);
    return exec;
  });
  const read = await times(async () => {
    await box.write({ path: 'f', content: Buffer.from('x') });
    const started = performance.now();
    await box.read('f');
    return performance.now() - started;
  });
  await box.destroy();
  for (const path of [workspace, layer.directory]) rmSync(path, { recursive: true });
  const empty = row('provision to first exec', 'ms', cold, 20);
  const full = row('provision to first exec, with a layer of 5,000 files', 'ms', layered, empty.p50 + 10);
  return [
    empty,
    { ...full, ratio: { against: empty.name, times: full.p50 / empty.p50 } },
    row('exec in a live sandbox', 'ms', each.exec, 2),
    row('one bwrap for every exec', 'ms', each.bwrap),
    row('plain spawn, no sandbox', 'ms', each.spawn),
    row('read a file', 'ms', read),
    row('destroy', 'ms', destroyed),
  ];
}

function childrenOf(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean);
}

function pssBytes(pid: string): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(rollup.match(/^Pss:\s+(\d+) kB$/m)?.[1] ?? Number.NaN) * 1024;
}

/** Everything the kernel charges to the sandbox, its own structures too; undefined without a memory control group. */
function chargedBytes(pid: string): number | undefined {
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  const path1 = groups.match(/^\d+:[^:]*\bmemory\b[^:]*:(.*)$/m)?.[1];
  const path2 = groups.match(/^0::(.*)$/m)?.[1];
  const files = [`/sys/fs/cgroup/memory${path1}/memory.usage_in_bytes`, `/sys/fs/cgroup${path2}/memory.current`];
  for (const file of path1 ? files : files.slice(1)) {
    try {
      return Number(readFileSync(file, 'utf8'));
    } catch {
      // The other version's, then.
    }
  }
  return undefined;
}

async function measureMemory(driver: SandboxDriver): Promise<Row[]> {
  const before = freemem();
  const boxes: Sandbox[] = [];
  for (let n = 0; n < live; n++) {
    const box = await driver.create(`live-${n}`, DEFAULT_LIMITS);
    await box.exec({ command: 'true' });
    boxes.push(box);
  }
  await new Promise((done) => setTimeout(done, 500));
  const host = (before - freemem()) / live;
  const outer = childrenOf(process.pid).filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'bwrap');
  const pss = outer.map((pid) => [pid, ...childrenOf(pid)].reduce((sum, each) => sum + pssBytes(each), 0));
  const charged = outer.map(chargedBytes).filter((bytes) => bytes !== undefined);
  if (pss.length !== live) throw new Error(`${pss.length} bubblewrap processes for ${live} sandboxes`);
  await Promise.all(boxes.map((box) => box.destroy()));
  const inMib = (values: number[]) => values.map((value) => value / MIB);
  return [
    row(`each of ${live} live: processes (PSS, bwrap and agent)`, 'MiB', inMib(pss), 1),
    ...(charged.length > 0
      ? [row(`each of ${live} live: all charged to its control group`, 'MiB', inMib(charged), 1)]
      : []),
    row(`each of ${live} live: free memory lost by the host`, 'MiB', inMib([host])),
  ];
}

/** The engine's own time for the same container; ours may be a fifth longer. */
async function measureDocker(): Promise<Row[]> {
  const times = await dockerTimes({ rounds, starts });
  const same = row('docker: the engine itself, same container', 'ms', times.same);
  const bare = row('docker: the engine itself, bare container', 'ms', times.bare);
  const start = row('docker: provision, checked', 'ms', times.start, 1.2 * same.p50);
  const against = (each: Row) => ({ ...each, ratio: { against: start.name, times: each.p50 / start.p50 } });
  return [
    start,
    against(same),
    against(bare),
    row('docker: exec in a live sandbox', 'ms', times.exec, 5),
    row('docker: destroy', 'ms', times.destroy),
  ];
}

async function benchSandbox(): Promise<Row[]> {
  const driver = createSandboxDriver({ installationId: `bench-${process.pid}` });
  const probe = await driver.probe();
  if (!probe.available) throw new Error(probe.reason);
  const http = await timesThroughHttp({ rounds, starts });
  const warm = await warmTimes(driver, starts);
  const rows = [
    ...(await measureTimes(driver)),
    row('warm: provision', 'ms', warm.provision, 5),
    row('warm: provision to first exec', 'ms', warm.firstExec, 5),
    row('warm: provision through the API of the server', 'ms', http.provision, 5),
    row('exec through the API of the server', 'ms', http.exec, 5),
    ...(await measureMemory(driver)),
  ];
  driver.forget?.();
  const exec = rows.find(({ name }) => name === 'exec in a live sandbox');
  for (const each of rows) {
    if (exec && /bwrap for every|plain spawn/.test(each.name)) {
      each.ratio = { against: exec.name, times: each.p50 / exec.p50 };
    }
  }
  rows.push(...(await measureDocker()));
  return rows;
}

function printRows(rows: Row[]): void {
  console.log(`${process.arch}, ${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}\n`);
  console.log('| | p50 | p95 | target | beside ours |\n|---|---|---|---|---|');
  for (const { name, unit, p50, p95, target, ratio } of rows) {
    const goal =
      target === undefined ? '' : `≤ ${Number(target.toFixed(2))} ${unit} ${p50 <= target ? '✓' : '✗ missed'}`;
    const beside = ratio ? `${ratio.times.toFixed(ratio.times < 1 ? 2 : 1)} ×` : '';
    console.log(`| ${name} | ${p50.toFixed(2)} ${unit} | ${p95.toFixed(2)} ${unit} | ${goal} | ${beside} |`);
  }
}

const rows = await benchSandbox();
printRows(rows);
if (rows.some(({ p50, target }) => target !== undefined && !(p50 <= target))) process.exitCode = 1;
