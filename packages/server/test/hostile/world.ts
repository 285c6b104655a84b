import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiPrefix, type Operation } from '@agora-market/contract';
import { Agora, type AgoraOptions, type Body } from '@agora-market/sdk';
import { expect } from 'vitest';
import { hireAndStart, makePair, type Pair } from '../api/scene.ts';
import { createInstallation, type Installation } from '../chaos/server-process.ts';
import { makeOwner, operatorToken, type TestOwner, type TestServer } from '../support/harness.ts';
import { type Probe, probeEnvironment } from './measure.ts';
import { type Surroundings, startSurroundings } from './surroundings.ts';

/** What a case sends its input to: the real program, in a process of its own, with parties that know each other. */
export interface World {
  server: Installation;
  probe: Probe;
  surroundings: Surroundings;
  pair: Pair;
  newOwner(): Promise<TestOwner>;
  /** Resolves when what has just been completed can be refunded no more. */
  pastRefund(): Promise<void>;
  /** A task of the pair that its agent has started, with no sandbox yet. */
  task(input?: Body<'tasks.submit'>['input'], fields?: Partial<Body<'tasks.submit'>>): Promise<string>;
  /** One request as its bytes stand there, with the credentials the operation takes; resolves with the status. */
  send(operation: Operation, request?: { body?: string; query?: string; param?: string }): Promise<number>;
  close(): Promise<void>;
}

/** A database of one advisory, so that lockfiles are looked at. */
function advisories(directory: string): string {
  const path = join(directory, 'advisories');
  mkdirSync(path);
  const about = { package: { ecosystem: 'PyPI', name: 'package-1' }, versions: ['1.0.0'] };
  writeFileSync(join(path, 'one.json'), JSON.stringify({ id: 'TEST-1', affected: [about] }));
  return path;
}

const refundWindowMs = 1_000;
/** What is asked for every few milliseconds beside each case. */
const loadEveryMs = 25;

export async function createWorld(): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'agora-hostile-'));
  const probe = { socket: join(directory, 'probe') };
  const surroundings = await startSurroundings();
  const server = await createInstallation({
    ...probeEnvironment(probe),
    ADVISORY_DB_DIR: advisories(directory),
    AGORA_OPERATOR_TOKEN: operatorToken,
    OUTBOUND_ALLOW_LOOPBACK: 'true',
    EXCHANGE_SUNSET: '2099-01-01T00:00:00Z',
    DEPENDENCY_REGISTRIES: 'npm=http://127.0.0.1:9',
    REFUND_WINDOW_MS: String(refundWindowMs),
    JUDGE_BASE_URL: surroundings.judgeUrl,
    JUDGE_MODEL: 'judge',
    JUDGE_OWNER_PERCENT: '100',
    // Cases leave their sandboxes standing, whatever the machine has memory for.
    SANDBOX_MAX_LIVE: '200',
    // One pair has the tasks of all cases at once.
    STORAGE_OWNER_BYTES: String(400 * 1024 ** 3),
    STORAGE_TOTAL_BYTES: String(800 * 1024 ** 3),
  });
  await server.start();
  const url = server.url()!;
  const client = (options: Partial<AgoraOptions> = {}) => new Agora({ baseUrl: url, maxRetries: 0, ...options });
  const owner: TestServer['owner'] = ({ credits = 100_000 } = {}) => makeOwner(client, credits);
  const pair = await makePair({ owner });
  // What is delivered here fails often enough to suspend the agent at any moment.
  const reactivate = () =>
    // Another request may have done it.
    pair.seller.agora.agents.reactivate(pair.agent.id).catch(({ code }) => expect(code).toBe('ALREADY_ACTIVE'));
  pair.agent.agora = client({ agentKey: pair.agent.key, fetch: unlessSuspended(reactivate) });
  const stopLoad = steadyLoad(`${url}${apiPrefix}/health`);

  const credentialsOf = ({ auth }: Operation): Record<string, string> => {
    if (auth === 'agent') return { 'x-api-key': pair.agent.key };
    if (auth === 'operator') return { authorization: `Bearer ${operatorToken}` };
    return auth === 'public' ? {} : { authorization: `Bearer ${pair.buyer.token}` };
  };
  return {
    server,
    probe,
    surroundings,
    pair,
    newOwner: () => owner({ credits: 0 }),
    pastRefund: () => new Promise((resolve) => setTimeout(resolve, refundWindowMs + 100)),
    async task(input = { description: 'Write a haiku about ledgers' }, fields = {}) {
      const start = () => hireAndStart(pair, { input, maxBudget: 10, ...fields });
      const { id } = await start().catch(async (error: { code?: string }) => {
        if (error.code !== 'HIRE_TARGET_NOT_ACTIVE') throw error;
        await reactivate();
        return start();
      });
      return id;
    },
    async send(operation, { body, query, param = 'x' } = {}) {
      const path = operation.path.replace(/:\w+/g, () => encodeURIComponent(param));
      const response = await fetch(`${url}${apiPrefix}${path}${query ? `?${query}` : ''}`, {
        method: operation.method,
        headers: { ...credentialsOf(operation), ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body }),
      });
      await response.arrayBuffer();
      return response.status;
    },
    async close() {
      await stopLoad();
      await server.remove();
      await surroundings.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Fetch that sends a request again which was refused because the agent is suspended. */
const unlessSuspended =
  (reactivate: () => Promise<unknown>): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request);
    if (response.status !== 403 || !(await response.clone().text()).includes('AGENT_SUSPENDED')) return response;
    await reactivate();
    return fetch(...request);
  };

/** Somebody else's requests, one after the other; the returned function waits for the last. */
function steadyLoad(url: string): () => Promise<void> {
  let stopped = false;
  const work = (async () => {
    while (!stopped) {
      await fetch(url).then(
        (response) => response.arrayBuffer(),
        () => {},
      );
      await new Promise((resolve) => setTimeout(resolve, loadEveryMs));
    }
  })();
  return () => {
    stopped = true;
    return work;
  };
}
