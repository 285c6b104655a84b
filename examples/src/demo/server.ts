import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

/** A program of the demo that runs beside it. */
export interface Program {
  /** Ends it in order and waits for that. */
  stop(): Promise<void>;
}

export interface Server extends Program {
  url: string;
}

/** Asks a child to end and waits for it; one that does not react is killed. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(impatience);
}

/** Starts the service on a free port; resolves once it serves. */
export async function startServer(env: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, [cli, 'serve'], {
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', DEMO_AGENT: 'off', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^agora ready on (\S+)$/.exec(line)?.[1];
    if (url) return { url, stop: () => stop(child) };
  }
  throw new Error('The server ended before it was ready; its messages stand above.');
}

/** Starts an agent of this folder as a separate program; its output is passed on line by line. */
export function startAgent(file: string, env: Record<string, string>, print: (line: string) => void): Program {
  const script = fileURLToPath(new URL(`../${file}.js`, import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', print);
  return { stop: () => stop(child) };
}

/** Runs `agora verify-ledger` on the running installation; resolves with its output and whether it found no error. */
export async function verifyLedger(env: Record<string, string>): Promise<{ text: string; clean: boolean }> {
  const child = spawn(process.execPath, [cli, 'verify-ledger'], {
    env: { ...process.env, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  return { text: text.trimEnd(), clean: code === 0 };
}
