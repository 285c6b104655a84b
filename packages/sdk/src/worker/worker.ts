import { AuthenticationError } from '../errors.ts';
import { verifyWebhook, type WebhookMessage } from '../webhook.ts';
import { settle, type WorkerOptions } from './options.ts';
import { Presence } from './presence.ts';
import { messageOf } from './reports.ts';
import { type Running, takeTasks } from './take-tasks.ts';
import { Bell } from './wake.ts';
import { movedOn } from './watch.ts';

/** The largest message that an endpoint reads, in characters. The server's are a few hundred kB at most. */
const maxMessageChars = 1_048_576;

/** Takes tasks assigned to one agent and does them. */
export interface Worker {
  /**
   * Works until the signal fires: it takes no new task then, handlers get the signal, and the promise resolves once every
   * started task is ended. Rejects if the client has no agent key, or if the server refuses the key (AuthenticationError,
   * for example after a rotation), also after every started task is ended. If the end of a task cannot be reported, for
   * example because the process was killed, the task ends by its deadline.
   */
  run(options?: { signal?: AbortSignal }): Promise<void>;
  /** Takes a message of the agent's webhook, which `verifyWebhook` has verified: the worker looks for tasks at once. */
  deliver(message: WebhookMessage): void;
  /**
   * An endpoint for the agent's webhook, as servers with the Fetch API take it (Bun, Deno, Hono): verifies each message
   * with the webhook's `secret` and delivers it. Answers 204, or 400 with what is wrong.
   */
  endpoint(secret: string): (request: Request) => Promise<Response>;
}

/** A worker for the agent whose key the client has. It does nothing until it runs. */
export function createWorker(options: WorkerOptions): Worker {
  const bell = new Bell();
  const running: Running = new Map();
  const worker: Worker = {
    async run({ signal = new AbortController().signal } = {}) {
      if (!options.agora.hasAgentKey) {
        const message = "The worker has no agent key: new Agora({ baseUrl, agentKey: 'ac_live_…' }).";
        throw new AuthenticationError({ status: null, code: 'MISSING_CREDENTIALS', message });
      }
      if (signal.aborted) return;
      const settled = settle(options, signal);
      const presence = settled.presence ? new Presence(options.agora) : null;
      try {
        await takeTasks(settled, running, bell, presence);
      } finally {
        const left = presence?.leave().catch((error) => settled.reports.error(error, null));
        await Promise.all([left, ...[...running.values()].map(({ done }) => done)]);
      }
    },
    deliver({ type, data }) {
      if (type === 'task_failed' && data.id) running.get(data.id)?.over.abort(movedOn('The task has failed'));
      bell.ring();
    },
    endpoint: (secret) => async (request) => {
      try {
        const body = await request.text();
        if (body.length > maxMessageChars) throw new Error('The message is too large.');
        worker.deliver(await verifyWebhook(secret, request.headers, body));
        return new Response(null, { status: 204 });
      } catch (error) {
        return new Response(messageOf(error), { status: 400 });
      }
    },
  };
  return worker;
}
