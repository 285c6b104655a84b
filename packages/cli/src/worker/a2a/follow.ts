import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Artifact,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import type { Work } from '@agora-market/sdk/worker';
import { replyOf, textOf } from './message.ts';

/** Between two looks at a task of an agent that does not stream, or whose stream broke. */
const lookEveryMs = 2_000;

/** In a row; an agent that is away for longer has lost the task. */
const mostFailedLooks = 10;

/** How long the agent has to confirm that it cancels. */
const cancelMs = 5_000;

/** The agent's task has come to no result. */
class Refusal extends Error {}

/** More parts are no result that anybody reads. */
const mostParts = 10_000;

/** What the agent returned: the parts of a message, or of the artifacts of a task. */
export type Answer = Message['parts'];

/**
 * Sends the brief and follows what becomes of it, by stream or by polls, until it ends. What the agent asks is put to the
 * submitter of the task, and the answer sent on. Rejects with the agent's own words if it fails or refuses, and if it asks
 * for authorization, which no buyer is to give. When the signal fires, the agent is told to cancel.
 */
export async function follow(
  client: Client,
  request: SendMessageRequest,
  { ask, signal }: Pick<Work, 'ask' | 'signal'>,
  tell: (line: string) => void,
): Promise<Answer> {
  const seen = new Progress(tell);
  try {
    await listen(client, request, signal, seen);
    for (let failed = 0; seen.answer === null; ) {
      if (seen.question !== null) {
        const { text, contextId } = seen.question;
        seen.question = null;
        await listen(client, replyOf(seen.taskId ?? '', contextId, await ask(text)), signal, seen);
        continue;
      }
      if (seen.taskId === null) throw new Error('The A2A agent neither answered nor made a task');
      await sleep(lookEveryMs, undefined, { signal });
      try {
        seen.task(await client.getTask({ tenant: '', id: seen.taskId }, { signal }));
        failed = 0;
      } catch (error) {
        if (error instanceof Refusal || signal.aborted || ++failed > mostFailedLooks) throw error;
      }
    }
    return seen.answer;
  } catch (error) {
    if (seen.taskId !== null && !seen.ended) {
      const patience = AbortSignal.timeout(cancelMs);
      await client
        .cancelTask({ tenant: '', id: seen.taskId, metadata: undefined }, { signal: patience })
        .catch(() => {});
    }
    signal.throwIfAborted();
    throw error;
  }
}

/** Until the stream ends, if the agent has one. A stream that breaks after the task was made is no failure. */
async function listen(client: Client, request: SendMessageRequest, signal: AbortSignal, seen: Progress): Promise<void> {
  try {
    for await (const event of client.sendMessageStream(request, { signal })) seen.event(event);
  } catch (error) {
    if (error instanceof Refusal || seen.taskId === null || signal.aborted) throw error;
  }
}

/** What is known of the agent's task. */
class Progress {
  taskId: string | null = null;
  answer: Answer | null = null;
  /** What the agent waits for an answer to. */
  question: { text: string; contextId: string } | null = null;
  /** The agent will do nothing more. */
  ended = false;
  #received = 0;
  #asked: string | undefined;
  readonly #artifacts = new Map<string, Artifact>();
  readonly #tell: (line: string) => void;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  event({ payload }: StreamResponse): void {
    if (payload === undefined || this.answer !== null) return;
    if (payload.$case === 'message') {
      this.ended = true;
      this.answer = payload.value.parts;
    } else if (payload.$case === 'task') this.task(payload.value);
    else {
      this.taskId ??= payload.value.taskId;
      if (payload.$case === 'statusUpdate') this.#status(payload.value.status, payload.value.contextId);
      else this.#artifact(payload.value.artifact, payload.value.append);
    }
  }

  task({ id, contextId, status, artifacts }: Task): void {
    this.taskId ??= id;
    for (const artifact of artifacts) this.#artifact(artifact, false);
    this.#status(status, contextId);
  }

  #artifact(artifact: Artifact | undefined, append: boolean): void {
    if (artifact === undefined) return;
    const before = append ? (this.#artifacts.get(artifact.artifactId)?.parts ?? []) : [];
    if (++this.#received > mostParts) throw new Refusal('The A2A agent returned too much');
    this.#artifacts.set(artifact.artifactId, { ...artifact, parts: [...before, ...artifact.parts] });
  }

  #status(status: Task['status'], contextId: string): void {
    const said = textOf(status?.message?.parts ?? []);
    if (said !== '') this.#tell(said);
    const state = status?.state;
    if (state === TaskState.TASK_STATE_COMPLETED) {
      const parts = [...this.#artifacts.values()].flatMap((artifact) =>
        artifact.parts.map((part) => named(part, artifact)),
      );
      this.ended = true;
      this.answer = parts.length > 0 ? parts : (status?.message?.parts ?? []);
    }
    if (state === TaskState.TASK_STATE_INPUT_REQUIRED) {
      const id = status?.message?.messageId;
      // A look may still show the question that was answered just now.
      if (id === undefined || id !== this.#asked) this.question = { text: questionOf(said), contextId };
      this.#asked = id;
      return;
    }
    const failure = state === undefined ? undefined : failures[state];
    if (failure === undefined) return;
    // An agent that asks for authorization still holds its task, so that one is cancelled.
    this.ended = state !== TaskState.TASK_STATE_AUTH_REQUIRED;
    throw new Refusal(said === '' ? failure : `${failure}: ${said}`);
  }
}

/** A file without a name of its own has that of its artifact. */
const named = (part: Answer[number], { name }: Artifact): Answer[number] => ({
  ...part,
  filename: part.filename || name,
});

const failures: Partial<Record<TaskState, string>> = {
  [TaskState.TASK_STATE_FAILED]: 'The A2A agent failed',
  [TaskState.TASK_STATE_CANCELED]: 'The A2A agent cancelled the task',
  [TaskState.TASK_STATE_REJECTED]: 'The A2A agent refuses the task',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'The A2A agent asks for authorization',
};

/** A message of a task takes so many characters. */
const mostQuestionChars = 10_000;
const questionOf = (said: string) =>
  said.trim().slice(0, mostQuestionChars) || 'The agent needs more to go on, and does not say what.';
