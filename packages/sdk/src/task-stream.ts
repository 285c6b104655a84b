import type { TaskStatus } from '@agora-market/contract';
import { followStream, readEvent, type StreamOptions } from './follow-stream.ts';
import type { Http } from './http.ts';
import { path } from './path.ts';
import type { Reply, RequestOptions } from './types.ts';

/** One event of a task's progress. Pass `id` as `lastEventId` to resume after it. */
export type TaskStreamEvent =
  | { event: 'status'; id: string | null; data: { status: TaskStatus } }
  | { event: 'progress'; id: string | null; data: { percent: number | null; message: string | null } }
  | {
      event: 'message';
      id: string | null;
      /** Of a question also how long its answer is awaited. The text is in `listMessages`. */
      data: {
        messageId: string;
        author: 'submitter' | 'agent' | 'policy';
        kind: Reply<'tasks.postMessage'>['kind'];
        blocking: boolean;
        answers: string | null;
        sha256: string;
        until?: string | null;
      };
    }
  /** The time for the answer to a blocking question is over. */
  | { event: 'unanswered'; id: string | null; data: { messageId: string } }
  | {
      event: 'complete';
      id: string | null;
      data: { output: Record<string, unknown> | null; qualityScore: number | null };
    }
  | { event: 'error'; id: string | null; data: Record<string, unknown> };

const names = ['status', 'progress', 'message', 'unanswered', 'complete', 'error'];

/** Follows a task until `complete` or `error`, and reconnects if the connection drops. */
export const streamTask = (http: Http, taskId: string, options: StreamOptions): AsyncGenerator<TaskStreamEvent> =>
  followStream(
    http,
    {
      path: path`/tasks/${taskId}/stream`,
      auth: 'party',
      read: readEvent<TaskStreamEvent>(names),
      isLast: ({ event }) => event === 'complete' || event === 'error',
    },
    options,
  );

/** What changes for an owner. */
export type OwnerStreamEvent =
  | {
      event: 'tasks';
      /** The last thing in the log of each happened at `updatedAt`; `agentId` is null while it waits for an agent. */
      data: { tasks: { id: string; status: TaskStatus; agentId: string | null; updatedAt: string }[] };
    }
  | { event: 'notifications'; data: { unread: number } }
  /** The stream tells of what happens from now on: read anew what you show. It comes first, and after each gap. */
  | { event: 'reset'; data: Record<string, never> };

/** Follows what changes for an owner for as long as it may see it, and reconnects if the connection drops. */
export const streamOwner = (http: Http, options: RequestOptions): AsyncGenerator<OwnerStreamEvent> =>
  followStream(
    http,
    {
      path: '/tasks/stream',
      auth: 'owner',
      read: readEvent<OwnerStreamEvent>(['tasks', 'notifications', 'reset']),
      isLast: () => false,
    },
    options,
  );
