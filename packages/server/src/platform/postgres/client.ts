import pg from 'pg';
import { urlsOfHosts } from '../urls-of-hosts.ts';
import { readOnlyCode } from './away.ts';

type Place = Pick<pg.Client, 'host' | 'port'>;
type Connected = (error: Error | null, client?: pg.Client) => void;

/** So long each of several hosts has to let us in, and as long again to say whether it takes changes. */
const askMs = 2_000;

export interface DatabaseSettings extends pg.ClientConfig {
  /** The schema in which functions are looked for first. */
  functions?: string | undefined;
}

/** A connection to PostgreSQL; where its address names several hosts, to the one that takes changes. */
export class DatabaseClient extends pg.Client {
  readonly #url: string;
  readonly #functions: string | undefined;

  constructor({ functions, ...settings }: DatabaseSettings = {}) {
    const url = settings.connectionString ?? '';
    super({ ...settings, connectionString: urlsOfHosts(url)[0] });
    this.#url = url;
    this.#functions = functions;
    // Whoever uses it listens only once it is connected, and an error that nobody hears ends the process.
    this.on('error', () => {});
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then((client) => callback(null, client), callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    if (urlsOfHosts(this.#url).length > 1) Object.assign(this, await findPrimary(this.#url));
    const connected = await super.connect();
    if (this.#functions === undefined) return connected;
    try {
      await searchFirst(this, this.#functions);
      return connected;
    } catch (error) {
      void this.end().catch(() => {});
      throw error;
    }
  }
}

/**
 * Names in this schema go before all others, in this session or, if `isLocal`, in its transaction. The path is added to, for it may
 * be the database's or the user's own.
 */
export const searchFirst = (client: pg.ClientBase, schema: string, isLocal = false) =>
  client.query({
    text: "select set_config('search_path', $1 || ', ' || current_setting('search_path'), $2)",
    values: [schema, isLocal],
    query_timeout: askMs,
  } as pg.QueryConfig);

const looking = new Map<string, Promise<Place>>();

/** All hosts are asked at once, because those that are down answer late or never. */
function findPrimary(url: string): Promise<Place> {
  const known = looking.get(url);
  if (known) return known;
  const found = Promise.any(urlsOfHosts(url).map(placeOfPrimary))
    .catch(({ errors }: AggregateError) => Promise.reject(tellingMost(errors)))
    .finally(() => looking.delete(url));
  looking.set(url, found);
  return found;
}

/** What PostgreSQL itself says, then that there are only standbys, then that nobody is there. */
const tellingMost = (errors: (Error & { code?: string })[]) =>
  errors.find((error) => error instanceof pg.DatabaseError) ??
  errors.find(({ code }) => code === readOnlyCode) ??
  errors[0];

async function placeOfPrimary(connectionString: string): Promise<Place> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: askMs, query_timeout: askMs });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ isReadOnly: boolean }>(
      `select current_setting('transaction_read_only')::bool as "isReadOnly"`,
    );
    const { host, port } = client;
    if (rows[0]?.isReadOnly === false) return { host, port };
    throw Object.assign(new Error(`${host}:${port} takes no changes: it is a standby`), { code: readOnlyCode });
  } finally {
    void client.end().catch(() => {});
  }
}
