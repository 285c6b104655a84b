import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command that npm links; it runs what was compiled last. */
const bin = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));
const command = join(bin, 'agora');

/** A directory for profiles that no other test file sees; it goes with the test's process. */
const home = mkdtempSync(join(tmpdir(), 'agora-home-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

/** Nothing of the machine's own settings and profiles counts in tests. */
const bareEnv = { PATH: `${bin}:${process.env.PATH}`, HOME: home, XDG_CONFIG_HOME: home, LOG_LEVEL: 'silent' };

export const profilesFile = join(home, 'agora', 'profiles.json');
export const profilesText = () => readFileSync(profilesFile, 'utf8');

export interface Ran {
  /** Null where a signal ended it. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  stdin?: string;
  cwd?: string;
  /** Sends a signal once stdout and stderr together match. */
  kill?: { signal: NodeJS.Signals; when: RegExp };
}

/** Runs the real command to its end. Standard input is empty unless given, and no terminal. */
export function agora(args: string[], { env, stdin = '', cwd, kill }: RunOptions = {}): Promise<Ran> {
  const child = spawn(command, args, { env: { ...bareEnv, ...env }, cwd: cwd ?? home });
  const said = { stdout: '', stderr: '' };
  let isKilled = false;
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
      if (kill === undefined || isKilled || !kill.when.test(said.stdout + said.stderr)) return;
      isKilled = true;
      child.kill(kill.signal);
    });
  }
  // One that does not read its input may have ended before it is written.
  child.stdin.on('error', () => {}).end(stdin);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, ...said }));
  });
}

/** The JSON document that a command printed. */
export async function agoraJson<T = Record<string, unknown>>(args: string[], options?: RunOptions): Promise<T> {
  const { exitCode, stdout, stderr } = await agora([...args, '--json'], options);
  if (exitCode !== 0) throw new Error(`agora ${args.join(' ')} exited ${exitCode}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as T;
}

interface TerminalOptions {
  env?: Record<string, string>;
  /** Types this once what is shown matches. */
  when?: RegExp;
  type?: string;
}

/** All that a line of shell shows on a terminal. */
export function onTerminal(line: string, { env, when, type = '' }: TerminalOptions = {}): Promise<string> {
  const child = spawn('script', ['-qec', line, '/dev/null'], { env: { ...bareEnv, TERM: 'xterm', ...env }, cwd: home });
  let shown = '';
  let isTyped = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (isTyped || !when?.test(shown)) return;
    isTyped = true;
    child.stdin.write(type);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(shown));
  });
}
