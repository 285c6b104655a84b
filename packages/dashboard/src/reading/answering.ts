// biome-ignore lint/suspicious/noExplicitAny: a worker says itself what its answers take and give
export type Answers = Record<string, (...args: any[]) => unknown>;

export interface Question {
  id: number;
  kind: string;
  args: unknown[];
}

export type Answer = { id: number; value: unknown } | { id: number; error: string };

/** Has the worker that calls it answer what its `Reader` asks. */
export function answerWith(answers: Answers): void {
  addEventListener('message', ({ data: { id, kind, args } }: MessageEvent<Question>) => {
    Promise.resolve()
      .then(() => answers[kind]!(...args))
      .then(
        (value): Answer => ({ id, value }),
        (error: unknown): Answer => ({ id, error: error instanceof Error ? error.message : String(error) }),
      )
      .then((message) => {
        const drawn = 'value' in message && message.value instanceof ImageBitmap ? [message.value] : [];
        postMessage(message, { transfer: drawn });
      });
  });
}
