// Each part of this bench runs as its own process, and all of them start here: without a role this is the bench.
const roles: Record<string, () => Promise<unknown>> = {
  '--role=client': () => import('./lifecycle/client.ts'),
  '--role=naive': () => import('./naive/server.ts'),
  '--role=floor': () => import('./lifecycle/floor.ts'),
};

await (roles[process.argv[2] ?? ''] ?? (() => import('./lifecycle/run.ts')))();
