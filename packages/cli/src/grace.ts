import closeWithGrace from 'close-with-grace';

/**
 * How a crash shows. A handler of ours would return to the instruction that failed, which fails again, for ever: such a
 * process ends at once, and the system says so.
 */
const crashes = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGABRT'] as const;

/** Closes what the process serves when it is told to end, or after an error that nobody caught; then it ends. */
export const closeAtEnd = (longestMs: number, close: () => Promise<void>): { close(): void } =>
  closeWithGrace({ delay: longestMs, skip: [...crashes] }, async ({ err }) => {
    if (err) console.error(err);
    await close();
  });
