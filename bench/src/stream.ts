// The bench and the servers it measures are processes of their own, and all of them start here.
await (process.argv[2] === '--role=server' ? import('./stream/server.ts') : import('./stream/run.ts'));
