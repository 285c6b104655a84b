import type pg from 'pg';
import { DatabaseClient } from './client.ts';
import { connectionSettings } from './db.ts';
import { placeOfDatabase } from './hosts-of-url.ts';

/** The oldest PostgreSQL that the tests pass on; older ones are no longer maintained either. */
const leastMajor = 15;
const connectTimeoutMs = 10_000;

/** A time limit that nobody has set for other reasons. */
const askedTimeout = '29s';
/** What PgBouncer says of settings that it does not pass on; some others pass over them in silence. */
const isRefusedOption = (error: Error) => /unsupported startup parameter/.test(error.message);
const poolerFault =
  'a connection pooler such as PgBouncer stands before it and does not pass on the settings of a session. Without its ' +
  'time limits one stuck session stops all others. Connect to PostgreSQL itself: Agora has a pool of its own.';

/** What a usable database says of itself. */
interface DatabaseFacts {
  /** As `17.5`. */
  version: string;
  /** By its own clock. */
  now: Date;
}

/** Connects once, so that an unusable database stops the start with one line that says what to change. */
export async function checkDatabase(url: string): Promise<DatabaseFacts> {
  const asked = connectionSettings(url, `-c statement_timeout=${askedTimeout}`);
  const client = new DatabaseClient({ ...asked, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect().catch((error) => {
      if (isRefusedOption(error)) throw unusable(client, poolerFault, error);
      throw new Error(
        `The database ${placeOfDatabase(url)} cannot be used as user "${client.user}": ${messageOf(error)}. ` +
          'Check DATABASE_URL, and that PostgreSQL runs there.',
        { cause: error },
      );
    });
    const fault = await faultOf(client);
    if (fault !== null) throw unusable(client, fault);
    const { rows } = await client.query<{ version: string; now: string }>(
      `select current_setting('server_version') as version, clock_timestamp() as now`,
    );
    const { version, now } = rows[0]!;
    return { version, now: new Date(now) };
  } finally {
    await client.end().catch(() => {});
  }
}

const unusable = ({ database }: pg.Client, fault: string, cause?: unknown) =>
  new Error(`The database "${database}" of DATABASE_URL cannot be used: ${fault}`, { cause });

/** Where a name has several addresses the error has no message of its own. */
const messageOf = (error: Error & { code?: string }): string => error.message || String(error.code ?? error);

async function faultOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{
    number: number;
    role: string;
    schema: string | null;
    timeout: string;
  }>(
    `select current_setting('statement_timeout') as timeout, current_setting('server_version_num')::int as number,
       current_user as role, current_schema() as schema`,
  );
  const { number, role, schema, timeout } = rows[0] as (typeof rows)[0];
  if (timeout !== askedTimeout) return poolerFault;
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
