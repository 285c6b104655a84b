import type { Task } from '@agora-market/sdk';
import { safeLine } from '../print.ts';
import { barOf } from '../progress.ts';

type Status = Task['status'];

/** What a buyer is told of a status, and how far the task then is, in percent. */
const phases: Record<Status, { says: string; percent: number }> = {
  submitted: { says: 'waits for its agent', percent: 0 },
  routing: { says: 'waits for its agent', percent: 5 },
  executing: { says: 'the agent works', percent: 10 },
  quality_check: { says: 'the result is checked', percent: 90 },
  completed: { says: 'the agent is paid', percent: 100 },
  failed: { says: 'the budget is yours again', percent: 100 },
  refunded: { says: 'the price is yours again', percent: 100 },
};

/** The agent's own estimate fills the stretch of the bar between its start and the check. */
const ofAgent = (percent: number): number =>
  phases.executing.percent + ((phases.quality_check.percent - phases.executing.percent) * percent) / 100;

export interface Board {
  status(status: Status): void;
  /** As the agent says; both may be missing. */
  progress(percent: number | null, message: string | null): void;
  /** A line of a party, safe for a terminal. */
  says(line: string): void;
  /** Removes the bar; later calls change nothing. */
  close(): void;
}

/** The log of a task: with a bar below it on a terminal, as plain lines anywhere else. */
export function openBoard(out: NodeJS.WriteStream): Board {
  const hasBar = out.isTTY === true && process.env.TERM !== 'dumb';
  let at = { says: '', percent: 0 };
  let isOpen = true;
  const clear = () => hasBar && out.write('\r\x1b[2K');
  const draw = () => hasBar && out.write(barOf(at.percent / 100, at.says, out.columns));
  const log = (line: string) => {
    if (!isOpen) return;
    clear();
    out.write(`${line}\n`);
    draw();
  };
  return {
    status(status) {
      at = phases[status] ?? { says: safeLine(String(status)), percent: at.percent };
      log(`${status}: ${at.says}`);
    },
    progress(percent, message) {
      if (percent !== null) at = { ...at, percent: Math.max(at.percent, ofAgent(percent)) };
      const share = percent === null ? '' : `${percent} % `;
      log(`  ${share}${message === null ? '' : safeLine(message, 500)}`.trimEnd());
    },
    says: (line) => log(`  ${line}`),
    close() {
      if (isOpen) clear();
      isOpen = false;
    },
  };
}
