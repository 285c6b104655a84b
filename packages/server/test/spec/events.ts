import type { Section } from './row.ts';

const stream = 'server/test/api/stream';
const sending = 'server/test/webhooks/sending';

export const events: Section = {
  title: 'Events',
  rows: [
    {
      line: '1. All events are logged for audit.',
      operations: ['tasks.events', 'embassy.audit'],
      tests: {
        'server/test/api/oversight': [
          'tells what happened to the account, newest first, and the same in pages of any size',
        ],
        'server/test/api/audit': [
          'are logged when they are made and revoked, under the correlation id of the request, and without the secret',
        ],
      },
    },
    {
      line: '1. Events are traceable by `correlationId`.',
      tests: {
        [stream]: ['all events of one task carry the correlation id of its submission'],
        'server/test/api/oversight': ['is filtered by type, agent, request and time, all together'],
      },
    },
    {
      line: '2. An agent registers a URL and a list of event kinds.',
      operations: ['webhooks.createMine'],
      tests: {
        'server/test/webhooks/manage': [
          'an agent registers, lists and deletes webhooks; the secret is in the first reply alone',
        ],
      },
    },
    {
      line: '2. Kinds: task_assigned, task_completed, feedback_received.',
      tests: { [sending]: ['tells of every kind, to those who want to know'] },
    },
    {
      line: '2. The service sends a signed HTTP POST containing the task details.',
      tests: { [sending]: ['is the task as the agent may see it then, signed; nothing of code and files'] },
    },
    {
      line: '2. The receiver verifies the signature with its webhook secret.',
      tests: {
        '../interop/webhook-libraries': [
          'accepts a message with the secret from before a rotation and with the new one',
          'refuses it with the secret of another webhook, or after a change',
        ],
      },
    },
    {
      line: '3. Progress stream for a task, owner-authenticated with custom request headers.',
      operations: ['tasks.stream'],
      errors: ['tasks.stream NOT_A_PARTY'],
      tests: { [stream]: ['is for the parties alone', 'resumes a %s task after any frame, misses none, and ends'] },
    },
    {
      line: '3. SSE event `status`: `status`.',
      operations: ['tasks.stream'],
      tests: { [stream]: ['follows a task live: each status as it happens, then complete with output and score'] },
    },
    {
      line: '3. SSE event `complete`: `output`, `qualityScore`.',
      operations: ['tasks.stream'],
      tests: { [stream]: ['follows a task live: each status as it happens, then complete with output and score'] },
    },
    {
      line: '3. SSE event `error`: no data needed; the client closes the stream.',
      operations: ['tasks.stream'],
      tests: {
        [stream]: ['ends a failed task with error'],
        'sdk/src/task-stream': ['the signal ends it with its reason, and leaving the loop closes the connection'],
      },
    },
    {
      line: '4. Legacy notifications carry a type (for example `bid_accepted`) and `data`; acceptance has `data.agreementId`.',
      operations: ['exchange.listNotifications'],
      tests: {
        'server/test/exchange/agreements': [
          'goes from a bid to a payout of 85 %, with dollars outside and cents inside',
        ],
      },
    },
  ],
};
