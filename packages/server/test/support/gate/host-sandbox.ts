import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { reporting } from '../../../src/gate/runs/reporting.ts';
import { placeReporters } from '../../../src/sandbox/bwrap/host-files.ts';
import {
  type ExecRequest,
  type ExecResult,
  REPORTERS_PATH,
  type Sandbox,
  SandboxError,
  type SandboxFile,
} from '../../../src/sandbox/index.ts';

const run = promisify(execFile);
const asBytes = { encoding: 'buffer', maxBuffer: 1 << 28 } as const;

/**
 * A stand-in for a sandbox that runs commands in a directory of this machine, for tests of the gate's own
 * rules with commands the tests wrote themselves. It isolates nothing.
 */
export interface HostSandboxes {
  open(): Promise<Sandbox>;
  /** Every sandbox opened so far and how often it was destroyed. */
  opened: Array<{ destroyed: number; commands: string[] }>;
  /** Called before each exec; throw to play a sandbox that dies. */
  beforeExec: (request: ExecRequest) => void;
  /** Names that `command -v` and PATH do not find. */
  missing: Set<string>;
  archiveOf(files: Record<string, string>, arrange?: (directory: string) => Promise<void>): Promise<Buffer>;
}

const limits = {
  cpus: 1,
  memoryBytes: 512 << 20,
  processes: 128,
  diskBytes: 1 << 30,
  maxExecMs: 300_000,
  maxOutputBytes: 1 << 20,
};

async function unpack(directory: string, archive: Buffer) {
  await mkdir(directory, { recursive: true });
  const child = run('tar', ['-C', directory, '-xf', '-']);
  child.child.stdin!.end(archive);
  await child;
}

async function lay(directory: string, file: SandboxFile) {
  const path = join(directory, file.path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file.content);
  if (file.executable) await chmod(path, 0o755);
}

function finish(child: ChildProcess, request: ExecRequest, startedMs: number): Promise<ExecResult> {
  return new Promise((resolve) => {
    const out = { stdout: '', stderr: '' };
    child.stdout!.on('data', (chunk) => (out.stdout += chunk));
    child.stderr!.on('data', (chunk) => (out.stderr += chunk));
    child.stdin!.on('error', () => undefined);
    child.stdin!.end(request.stdin ?? '');
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      process.kill(-child.pid!, 'SIGKILL');
    }, request.timeoutMs ?? 60_000);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ exitCode: code ?? 137, ...out, durationMs: performance.now() - startedMs, timedOut, truncated: false });
    });
  });
}

/** As the gate's callers wrote it, without what makes its tests report themselves. */
const plain = (command: string) => command.replace(reporting(''), '');

const notUsed = () => Promise.reject(new Error('not used by the gate'));
const unused = {
  ...{ writeInput: notUsed, snapshot: notUsed, usage: notUsed, pause: notUsed, resume: notUsed, still: notUsed },
  // Commands that are run apart need a real sandbox.
  answerCalls: () => () => undefined,
  cpuMs: () => 0,
  processes: { start: notUsed, list: () => [], output: () => undefined, kill: notUsed },
};

/** As every sandbox has them. */
const reporters = mkdtempSync(join(tmpdir(), 'agora-gate-reporters-'));
placeReporters(reporters);
process.once('exit', () => rmSync(reporters, { recursive: true, force: true }));

async function openOne(sandboxes: HostSandboxes, search: string): Promise<Sandbox> {
  const directory = await mkdtemp(join(tmpdir(), 'agora-gate-'));
  const record = { destroyed: 0, commands: [] as string[] };
  sandboxes.opened.push(record);
  const beside = await mkdtemp(join(tmpdir(), 'agora-gate-beside-'));
  const inside = (text: string) =>
    text
      .replaceAll('/workspace', directory)
      .replaceAll(`${REPORTERS_PATH}/`, `${reporters}/`)
      .replaceAll('/tmp/agora-report', `${beside}/report`);
  let end: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const sandbox: Sandbox = {
    id: `host-${sandboxes.opened.length}`,
    limits,
    enforcement: { limits: 'degraded', notes: ['no isolation: a stand-in for tests'] },
    layered: [],
    isBusy: false,
    ending: new AbortController().signal,
    closed,
    async exec(request) {
      const command = plain(request.command);
      record.commands.push(command);
      sandboxes.beforeExec({ ...request, command });
      const asked = /^command -v '(.*)'$/.exec(request.command)?.[1];
      if (asked !== undefined && sandboxes.missing.has(asked)) {
        return { exitCode: 127, stdout: '', stderr: '', durationMs: 0, timedOut: false, truncated: false };
      }
      const env = { PATH: search, HOME: directory, LANG: 'C.UTF-8' };
      for (const [name, value] of Object.entries(request.env ?? {})) Object.assign(env, { [name]: inside(value) });
      const cwd = inside(request.cwd ?? '/workspace');
      const child = spawn('/bin/sh', ['-c', inside(request.command)], { cwd, env, detached: true });
      return finish(child, request, performance.now());
    },
    async execStreamed(request, sink) {
      const { stdout, ...end } = await sandbox.exec(request as ExecRequest);
      await sink({ stream: 'stdout', bytes: Buffer.from(stdout.replaceAll(directory, '/workspace')) });
      return end;
    },
    list: () => Promise.reject(new Error('not used by the gate')),
    async read(path) {
      const content = await readFile(inside(path), 'utf8').catch(() => null);
      if (content === null) throw new SandboxError('FILE_NOT_FOUND', path);
      return { path, content, encoding: 'utf8', sizeBytes: content.length, truncated: false };
    },
    write: (file) => lay(directory, file),
    exportWorkspace: async () => (await run('tar', ['-C', directory, '-cf', '-', '.'], asBytes)).stdout,
    importWorkspace: (archive) => unpack(directory, archive),
    ...unused,
    async destroy() {
      record.destroyed += 1;
      await run('chmod', ['-R', 'u+rwX', directory]).catch(() => undefined);
      for (const each of [directory, beside]) await rm(each, { recursive: true, force: true });
      end();
    },
  };
  return sandbox;
}

/** `search` is the PATH that the commands get. */
export function hostSandboxes(search: string): HostSandboxes {
  const sandboxes: HostSandboxes = {
    opened: [],
    beforeExec: () => undefined,
    missing: new Set(),
    open: () => openOne(sandboxes, search),
    async archiveOf(files, arrange) {
      const directory = await mkdtemp(join(tmpdir(), 'agora-gate-work-'));
      for (const [path, text] of Object.entries(files)) await lay(directory, { path, content: Buffer.from(text) });
      await arrange?.(directory);
      const { stdout } = await run('tar', ['-C', directory, '-cf', '-', '.'], asBytes);
      await run('chmod', ['-R', 'u+rwX', directory]);
      await rm(directory, { recursive: true, force: true });
      return stdout;
    },
  };
  return sandboxes;
}

/** Files as the contract's `input.files` names them, laid. */
export const laid = (files: Record<string, string>): SandboxFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }));
