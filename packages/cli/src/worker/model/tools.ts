import { AgoraError } from '@agora-market/sdk';
import type { TaskSandbox } from '@agora-market/sdk/worker';
import { tool } from 'ai';
import { z } from 'zod';

/** What one call may add to what the model reads. */
const mostResultChars = 12_000;
const mostLines = 400;
const mostExecSeconds = 280;

/** How the model says that it is done. */
export type Ending = { result: string } | { reason: string };

/** What the tools have noted. */
export interface Notes {
  ending: Ending | null;
  calls: number;
  /** An error after which nothing in the sandbox can go on. */
  fatal: unknown;
}

/** Tools over the sandbox of one task. They reach nothing else. */
export function sandboxTools(sandbox: TaskSandbox, notes: Notes, onCall: (what: string) => void) {
  /** A call that fails is told to the model, which may do something else; a lost sandbox or task ends the work. */
  const call = async (what: string, act: () => Promise<string>): Promise<string> => {
    notes.calls++;
    onCall(what);
    try {
      return cut(await act());
    } catch (error) {
      if (!(error instanceof AgoraError) || !tellable.has(error.code)) notes.fatal ??= error;
      return `Error: ${error instanceof Error ? error.message : error}`;
    }
  };
  const path = z.string().min(1).max(4096).describe('Relative to /workspace');
  return {
    list: tool({
      description: 'List a directory.',
      inputSchema: z.object({ path: path.default('/workspace') }),
      execute: (input) => call(`list ${input.path}`, async () => listed(await sandbox.list(input.path))),
    }),
    read: tool({
      description: `Read a text file, at most ${mostLines} lines at a time.`,
      inputSchema: z.object({ path, fromLine: z.int().min(1).default(1) }),
      execute: (input) => call(`read ${input.path}`, async () => lines(await sandbox.read(input.path), input.fromLine)),
    }),
    write: tool({
      description: 'Write a whole text file, and create its directories.',
      inputSchema: z.object({ path, content: z.string(), executable: z.boolean().default(false) }),
      execute: ({ path, content, executable }) =>
        call(`write ${path}`, async () => {
          await sandbox.write(path, content, { executable });
          return `Wrote ${path}.`;
        }),
    }),
    replace: tool({
      description: 'Replace a passage that occurs exactly once in a text file.',
      inputSchema: z.object({ path, old: z.string().min(1), new: z.string() }),
      execute: (input) => call(`change ${input.path}`, () => replaceOnce(sandbox, input)),
    }),
    exec: tool({
      description: 'Run a shell command in /workspace. There is no network.',
      inputSchema: z.object({
        command: z.string().min(1).max(50_000),
        timeoutSeconds: z.int().min(1).max(mostExecSeconds).default(120),
      }),
      execute: ({ command, timeoutSeconds }) =>
        call(`run ${command}`, async () => {
          const done = await sandbox.exec(command, { timeoutMs: timeoutSeconds * 1000 });
          const how = done.timedOut ? 'It ran out of time.' : `Exit code ${done.exitCode}.`;
          return `${how}\n${part('stdout', done.stdout)}${part('stderr', done.stderr)}`;
        }),
    }),
    finish: tool({
      description: 'Deliver the work. The task ends with it.',
      inputSchema: z.object({
        result: z.string().min(1).describe('What the buyer reads: the result, or what was done'),
      }),
      execute: async ({ result }) => {
        notes.ending ??= { result };
        return 'Delivered.';
      },
    }),
    give_up: tool({
      description: 'End the task without a delivery, because it cannot be done. The buyer is refunded.',
      inputSchema: z.object({ reason: z.string().min(1) }),
      execute: async ({ reason }) => {
        notes.ending ??= { reason };
        return 'The task has ended.';
      },
    }),
  };
}

/** Refusals of one call that say what to do otherwise. */
const tellable = new Set([
  ...['VALIDATION_ERROR', 'FILE_NOT_FOUND', 'INVALID_PATH', 'PAYLOAD_TOO_LARGE', 'SANDBOX_PAUSED'],
  ...['SANDBOX_UNAVAILABLE', 'RATE_LIMITED', 'TIMEOUT', 'NOTHING_TO_REPLACE'],
]);

const refusal = (message: string) => new AgoraError({ status: null, code: 'NOTHING_TO_REPLACE', message });

function listed(entries: Awaited<ReturnType<TaskSandbox['list']>>): string {
  const each = entries.map(({ name, type, sizeBytes }) =>
    type === 'file' ? `${name} (${sizeBytes} bytes)` : `${name}/`,
  );
  return each.join('\n') || 'The directory is empty.';
}

function lines({ content, encoding }: { content: string; encoding: string }, from: number): string {
  if (encoding !== 'utf8') return 'The file is not text.';
  const all = content.split('\n');
  const shown = all.slice(from - 1, from - 1 + mostLines);
  const rest = all.length - (from - 1 + shown.length);
  return rest > 0
    ? `${shown.join('\n')}\n[${rest} more lines; read on from line ${from + shown.length}]`
    : shown.join('\n');
}

async function replaceOnce(sandbox: TaskSandbox, change: { path: string; old: string; new: string }): Promise<string> {
  const { content, encoding } = await sandbox.read(change.path);
  if (encoding !== 'utf8') throw refusal('The file is not text.');
  const parts = content.split(change.old);
  if (parts.length !== 2) throw refusal(`The passage occurs ${parts.length - 1} times in ${change.path}, not once.`);
  await sandbox.write(change.path, parts.join(change.new));
  return `Changed ${change.path}.`;
}

const part = (name: string, text: string) => (text === '' ? '' : `${name}:\n${text}\n`);

/** The start and the end of a long text: errors are at the end, and what was run at the start. */
function cut(text: string): string {
  if (text.length <= mostResultChars) return text;
  const [head, tail] = [text.slice(0, mostResultChars / 3), text.slice((-mostResultChars * 2) / 3)];
  return `${head}\n[${text.length - mostResultChars} characters are left out]\n${tail}`;
}
