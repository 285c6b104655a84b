import { findAgents } from '../../../src/sandbox/bwrap/owner.ts';

/** Ends every bubblewrap sandbox with this mark, as a crash of it would. */
export function killAgents(mark: string): void {
  for (const { pid } of findAgents(mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It was ending, or was below another that has just gone.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
