import { startEmbeddedPostgres } from './embedded.ts';

// A process for the tests to kill: it holds a PostgreSQL and prints its URL as JSON.
const [dataDir = ''] = process.argv.slice(2);
const log = { info: () => {}, warn: console.error, error: console.error };
const postgres = await startEmbeddedPostgres({ dataDir, log });
console.log(JSON.stringify({ url: postgres.url, adopted: postgres.adopted }));
process.once('SIGTERM', () => postgres.stop().then(() => process.exit(0)));
setInterval(() => {}, 60_000);
