import pg from 'pg';

/** The oldest PostgreSQL that the tests pass on; older ones are no longer maintained either. */
const leastMajor = 15;
const connectTimeoutMs = 10_000;

/** What a usable database says of itself. */
interface DatabaseFacts {
  /** As `17.5`. */
  version: string;
  /** By its own clock. */
  now: Date;
}

/** Connects once, so that an unusable database stops the start with one line that says what to change. */
export async function checkDatabase(url: string): Promise<DatabaseFacts> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect().catch((error) => {
      const { host, port, database, user } = client;
      throw new Error(
        `The database "${database}" at ${host}:${port} cannot be used as user "${user}": ${messageOf(error)}. ` +
          'Check DATABASE_URL, and that PostgreSQL runs there.',
        { cause: error },
      );
    });
    const fault = await faultOf(client);
    if (fault !== null) throw new Error(`The database "${client.database}" of DATABASE_URL cannot be used: ${fault}`);
    const { rows } = await client.query<DatabaseFacts>(
      `select current_setting('server_version') as version, clock_timestamp() as now`,
    );
    return rows[0] as DatabaseFacts;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Where a name has several addresses the error has no message of its own. */
const messageOf = (error: Error & { code?: string }): string => error.message || String(error.code ?? error);

async function faultOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ number: number; role: string; schema: string | null }>(
    `select current_setting('server_version_num')::int as number,
       current_user as role, current_schema() as schema`,
  );
  const { number, role, schema } = rows[0] as (typeof rows)[0];
  const major = Math.floor(number / 10_000);
  if (major < leastMajor) return `it is PostgreSQL ${major}, and Agora needs ${leastMajor} or newer.`;
  const grant = (schema: string) => `grant usage, create on schema ${schema} to "${role}";`;
  if (schema === null) return `the search path of user "${role}" names no schema that it may use: ${grant('public')}`;
  const created = await client.query<{ may: boolean }>(`select has_schema_privilege($1, 'CREATE') as may`, [schema]);
  if (created.rows[0]?.may !== true)
    return `user "${role}" may not make tables in its schema "${schema}". Let the schema's owner run: ${grant(schema)}`;
  const { rows: others } = await client.query<{ name: string; owner: string }>(
    `select c.relname as name, pg_get_userbyid(c.relowner) as owner from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not pg_has_role(c.relowner, 'USAGE')
     order by c.relname limit 1`,
  );
  if (others[0] === undefined) return null;
  const { name, owner } = others[0];
  return `its table "${name}" belongs to user "${owner}", not to "${role}". Connect as "${owner}", or give its tables away.`;
}
