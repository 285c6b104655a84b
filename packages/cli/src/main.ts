import { createProgram, run } from './program.ts';

// `agora tasks list | head` closes the pipe early, which is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // What closes with grace, as the service does, is told of it as of any other error.
    if (error.code !== 'EPIPE' || process.listenerCount('SIGTERM') > 0) throw error;
    process.exit();
  });
}

await run(createProgram(), process.argv);
