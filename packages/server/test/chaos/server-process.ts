import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rateLimits } from '@agora-market/contract';
import { Agora } from '@agora-market/sdk';
import { findAgents } from '../../src/sandbox/bwrap/owner.ts';
import type { TestServer } from '../support/harness.ts';

/** The real program, as an operator runs it: built, in a process of its own, on a data directory of its own. */

const program = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));
const noLimits = {
  REQUESTS_AT_ONCE: '0',
  PAYMENT_LIMITS: 'off',
  ...Object.fromEntries(Object.values(rateLimits).map(({ setting }) => [setting, '0'])),
};

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come.
  body: any;
}

export interface Installation {
  dataDir: string;
  /** What its sandboxes, their groups and their user ids on the host are named after. */
  installationId: string;
  /** Where the running server listens; null while there is none. */
  url(): string | null;
  pid(): number;
  /** With this release unless another program is given. */
  start(release?: string): Promise<void>;
  /** Sends the signal and resolves with the exit code, null if the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** One request; rejects when no complete reply came. */
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  /** Runs another command of the program to its end, beside the server or without it. */
  command(...args: string[]): Promise<{ code: number | null; text: string }>;
  /** The same of another release. */
  commandOf(release: string, ...args: string[]): Promise<{ code: number | null; text: string }>;
  /** What the program wrote to its log. */
  log(): string;
  /** Processes of sandboxes that live. */
  sandboxes(): number;
  remove(): Promise<void>;
}

export interface RequestOptions {
  token?: string;
  key?: string;
  body?: unknown;
  idempotencyKey?: string;
}

const environmentOf = (dataDir: string, env: Record<string, string>) => ({
  PATH: process.env.PATH,
  ...noLimits,
  AGORA_DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'warn',
  DEMO_AGENT: 'off',
  ...env,
});

/** `enter` are words before the command of a server, that make it run elsewhere. */
export async function createInstallation(
  env: Record<string, string> = {},
  enter: readonly string[] = [],
): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'agora-chaos-'));
  const environment = environmentOf(dataDir, env);
  const installationId = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16);
  let server: { child: ChildProcess; ended: Promise<number | null> } | null = null;
  let url: string | null = null;
  let log = '';

  const run = (args: string[], release = program) => {
    const [command = '', ...words] = [...enter, process.execPath, release, ...args];
    const child = spawn(command, words, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
    child.stderr.on('data', (bytes) => {
      log += bytes;
    });
    return { child, ended };
  };

  async function toItsEnd(args: string[], release?: string) {
    const { child, ended } = run(args, release);
    let text = '';
    child.stdout?.on('data', (bytes) => {
      text += bytes;
    });
    return { code: await ended, text };
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (!server) return null;
    const { child, ended } = server;
    // A server that was told to stop still answers what it has begun.
    if (signal === 'SIGKILL') url = null;
    child.kill(signal);
    const code = await ended;
    url = null;
    server = null;
    return code;
  }

  return {
    dataDir,
    installationId,
    url: () => url,
    pid: () => server?.child.pid ?? 0,
    log: () => log,
    async start(release) {
      const started = run(['serve'], release);
      server = started;
      const ready = new Promise<string>((done) => {
        createInterface({ input: started.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
          const found = /^agora ready on (.*)$/.exec(line);
          if (found) done(found[1] as string);
          else log += `${line}\n`;
        });
      });
      const died = started.ended.then((code) => Promise.reject(new Error(`the server ended with ${code}: ${log}`)));
      died.catch(() => undefined);
      url = await Promise.race([ready, died]);
    },
    end,
    async request(method, path, { token, key, body, idempotencyKey } = {}) {
      if (url === null) throw new Error('no server runs');
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'x-api-key': key }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    },
    command: (...args) => toItsEnd(args),
    commandOf: (release, ...args) => toItsEnd(args, release),
    sandboxes: () => findAgents(`agora/${installationId}/`).length,
    async remove() {
      await end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Makes clients that find the server wherever it listens after its last start. */
export const clientsOf =
  (server: Installation): TestServer['client'] =>
  (credentials = {}) =>
    new Agora({
      ...{ baseUrl: 'http://agora.test', maxRetries: 0, ...credentials },
      fetch: (input, init) =>
        fetch(String(input).replace('http://agora.test', server.url() ?? 'http://127.0.0.1:1'), init),
    });
