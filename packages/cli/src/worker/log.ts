import { stripVTControlCharacters } from 'node:util';
import { AgoraError } from '@agora-market/sdk';
import type { WorkerOptions, WorkerStep } from '@agora-market/sdk/worker';

/** What the worker tells its people: a line for each step. */
export interface Log {
  /** A line about an event, with what belongs to it; undefined fields are left out. */
  line(event: string, fields: Record<string, string | number | undefined>): void;
  step(step: WorkerStep): void;
  error: NonNullable<WorkerOptions['onError']>;
}

/** Lines for people, or one JSON object a line with `at`, `event` and the fields. */
export function createLog(asJson: boolean, write: (line: string) => void): Log {
  let outage = '';
  const line: Log['line'] = (event, fields) => {
    const at = new Date().toISOString();
    if (asJson) return write(JSON.stringify({ at, event, ...fields }));
    const said = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${shown(value)}`],
    );
    write(['agora worker:', event, ...said].join(' '));
  };
  return {
    line,
    step({ step, task, ...rest }) {
      outage = '';
      const type = step === 'started' ? { type: task.taskType, price: task.price ?? 0 } : {};
      line(step, { task: task.id, ...type, ...rest });
    },
    error(error, task) {
      const message = error instanceof Error ? error.message || error.name : String(error);
      const code = error instanceof AgoraError ? error.code : undefined;
      // A server that is away is said once, not at each attempt.
      if (task === null && outage === code) return;
      if (task === null) outage = code ?? '';
      line('problem', { task: task?.id, code, message });
    },
  };
}

/** Text of strangers on one line; it cannot move a cursor. */
const shown = (value: string | number): string => {
  if (typeof value === 'number') return String(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys
  const safe = stripVTControlCharacters(value).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ');
  return /^[\w.:/-]+$/.test(safe) ? safe : JSON.stringify(safe);
};
