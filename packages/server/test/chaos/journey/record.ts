import { type ErrorCode, errorBody, errorsOf, fullPath, type Operation, operations } from '@agora-market/contract';
import { type Chance, chance } from '../../simulation/chance.ts';
import type { Installation } from '../server-process.ts';

/** What was asked of the server and what came back, seen from the wire. */
export interface Recorder {
  /** A fetch for SDK clients: finds the server wherever it listens now, loses some replies, and writes all down. */
  fetch: typeof fetch;
  /** Replies by operation-independent name: `200`, `409 TASK_WRONG_STATE`, `no reply`. */
  replies: Map<string, number>;
  /** What must not happen; empty at the end. */
  faults: string[];
  /** Keyed requests of which no caller has seen a reply, by operation and key. */
  unanswered: Map<string, { path: string; init: RequestInit }>;
  /** Attempts with a key that had been sent before. */
  retries: number;
  /** Complete replies that the network is said to have lost. */
  lost: number;
  count(what: string): void;
  fault(what: string): void;
}

const idle = 'no server runs';

/** Operations by method and path, so that an error can be held to what its operation declares. */
const table = Object.values<Operation>(operations).map((operation) => ({
  operation,
  methods: new Set<string>([operation.method, ...(operation.alsoMethods ?? [])]),
  pattern: new RegExp(`^${fullPath(operation).replace(/:\w+/g, '[^/]+')}$`),
}));

/** The most particular operation: `/tasks/agent` before `/tasks/:taskId`. */
const operationOf = (method: string, path: string): Operation | undefined =>
  table
    .filter(({ methods, pattern }) => methods.has(method) && pattern.test(path))
    .sort((a, b) => a.operation.path.split(':').length - b.operation.path.split(':').length)[0]?.operation;

/** Why an error reply should not have been given, or null. */
function objection(method: string, path: string, status: number, text: string): { code: string; why: string | null } {
  const parsed = errorBody.safeParse(readJson(text));
  if (!parsed.success) return { code: 'not of the catalogue', why: `the body is ${text.slice(0, 300)}` };
  const code: ErrorCode = parsed.data.error.code;
  const operation = operationOf(method, path);
  // Nobody here has a wrong credential.
  if (status === 401) return { code, why: 'the credential is good' };
  if (status === 500) return { code, why: `it is an unexpected error: ${text.slice(0, 500)}` };
  if (!operation) return { code, why: code === 'ROUTE_NOT_FOUND' ? null : 'the contract knows no such operation' };
  return { code, why: errorsOf(operation).includes(code) ? null : `${operation.id} does not declare ${code}` };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function createRecorder(server: Pick<Installation, 'url'>, seed: number, lostShare: number): Recorder {
  const random: Chance = chance(seed);
  const sent = new Set<string>();
  const recorder: Recorder = {
    replies: new Map(),
    faults: [],
    unanswered: new Map(),
    retries: 0,
    lost: 0,
    count: (what) => void recorder.replies.set(what, (recorder.replies.get(what) ?? 0) + 1),
    // What goes wrong once often goes wrong a thousand times; the first are the ones to read.
    fault: (what) => void (recorder.faults.length < 50 && recorder.faults.push(what)),
    async fetch(input, init = {}) {
      const { pathname, search } = new URL(String(input));
      const method = init.method ?? 'GET';
      const key = new Headers(init.headers).get('idempotency-key');
      const name = key === null ? null : `${method} ${pathname} ${key}`;
      if (name !== null) {
        if (sent.has(name)) recorder.retries += 1;
        sent.add(name);
        recorder.unanswered.set(name, { path: pathname, init: { ...init, signal: null } });
      }
      const reply = await ask(server, pathname + search, init).catch((error: unknown) => {
        const isAway = error instanceof TypeError && error.message === idle;
        recorder.count(init.signal?.aborted ? 'given up by the caller' : isAway ? idle : 'no reply');
        throw error;
      });
      const { status, text } = reply;
      if (status >= 400) {
        const { code, why } = objection(method, pathname, status, text ?? '');
        recorder.count(`${status} ${code}`);
        if (why !== null) recorder.fault(`${method} ${pathname} was answered with ${status} ${code}: ${why}`);
      } else recorder.count(String(status));
      if (name !== null && random.yes(lostShare)) {
        recorder.lost += 1;
        throw new TypeError('the reply got lost');
      }
      if (name !== null && status < 500) recorder.unanswered.delete(name);
      return reply.response;
    },
  };
  return recorder;
}

/** One attempt. The body of a stream is left to its reader; every other one is read to its end. */
async function ask(server: Pick<Installation, 'url'>, target: string, init: RequestInit) {
  const url = server.url();
  if (url === null) throw new TypeError(idle);
  const response = await fetch(url + target, init);
  const { status, headers } = response;
  if (headers.get('content-type')?.startsWith('text/event-stream')) return { status, text: null, response };
  const text = await response.text();
  return { status, text, response: new Response(status === 204 ? null : text, { status, headers }) };
}
