import type pg from 'pg';
import type { Logger } from '../log.ts';
import { DatabaseClient, type DatabaseSettings } from '../postgres/client.ts';
import { connectionSettings } from '../postgres/db.ts';
import { watchSilence } from '../postgres/silence.ts';

export interface WriterConnection {
  client(): Promise<pg.Client>;
  /** Nothing is under way on it. */
  rest(): void;
  /** Gives up a connection that is lost; the next use opens another. */
  drop(): void;
  end(): Promise<void>;
}

/**
 * On fresh tables a cached plan for a set-based update scans the table; these settings hold the planner to the keys.
 * Measured: 11,000 lifecycles/s with them, 3,300/s and falling without.
 */
const planSettings = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'statement_timeout=30000',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** One writer connection, opened when first needed and again after it was lost. */
export function writerConnection(url: string, log: Logger, functions: string | undefined): WriterConnection {
  const plain = connectionSettings(url, planSettings);
  const settings = { ...plain, pipeline: true, functions } as DatabaseSettings;
  const busy = watchSilence(plain);
  let current: Promise<pg.Client> | null = null;

  function open(): Promise<pg.Client> {
    const client = new DatabaseClient(settings);
    const opening: Promise<pg.Client> = client.connect().then(() => client);
    // A late word of an old connection must not cost us the new one.
    const forget = () => {
      if (current === opening) current = null;
    };
    client.on('error', (error) => {
      log.warn({ err: error }, 'a writer connection was lost');
      forget();
    });
    client.on('end', () => {
      busy.end(client);
      forget();
    });
    opening.catch(forget);
    return opening;
  }

  return {
    async client() {
      current ??= open();
      const client = await current;
      busy.begin(client);
      return client;
    },
    rest: () => void current?.then(busy.end, () => undefined),
    drop() {
      void current?.then((client) => client.end()).catch(() => undefined);
      current = null;
    },
    end: async () => {
      await (await current?.catch(() => null))?.end();
    },
  };
}
