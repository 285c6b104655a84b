import type { ServerResponse } from 'node:http';
import type { TaskRow } from '../sql.ts';

/** A client that takes nothing for so long has its connection closed; it resumes when it comes back. */
const stalledAfterMs = 60_000;

/** Event frames on their way to one client. */
export interface FrameWriter {
  /** Resolves once the client has room for more. So for a slow client only one frame and Node's buffer are held. */
  write(text: string): Promise<void>;
}

export function frameWriter(response: ServerResponse, stallMs = stalledAfterMs): FrameWriter {
  return {
    async write(text) {
      if (response.destroyed || response.write(text)) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => response.destroy(), stallMs);
        const go = () => {
          clearTimeout(timer);
          response.off('drain', go);
          response.off('close', go);
          resolve();
        };
        response.on('drain', go);
        response.on('close', go);
      });
    },
  };
}

export const frame = (id: number | null, name: string, data: unknown) =>
  `${id === null ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The last event of a task. */
export function lastWord(task: TaskRow, id: number): string {
  const { reason, errorMessage } = task;
  if (task.status === 'failed') return frame(id, 'error', { ...(reason !== null && { reason }), errorMessage });
  return frame(id, 'complete', { output: task.output, qualityScore: task.qualityScore });
}
