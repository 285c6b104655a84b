import { createProgram, run } from './program.ts';

// `agora tasks list | head` closes the pipe early, which is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

await run(createProgram(), process.argv);
