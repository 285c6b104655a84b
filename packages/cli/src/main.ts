import { createProgram, run } from './program.ts';

// `agora tasks list | head` closes the pipe early, which is no failure. What the command does goes on to its end, for it may
// have started what it must stop.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

await run(createProgram(), process.argv);
