import pg from 'pg';

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The rows and functions of a database as SQL, for one that has its tables; a line for each table. */
export async function dumpOf(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read');
    const lines = ['set check_function_bodies = off;', await functionsOf(client), 'delete from schema_migrations;'];
    for (const table of await tablesOf(client)) lines.push(...(await rowsOf(client, table)));
    lines.push('reset check_function_bodies;', ...(await sequencesOf(client)));
    return `${lines.join('\n')}\n`;
  } finally {
    await client.end();
  }
}

/** Made by hand and by migrations alike; those of a release are there when the next one migrates. */
async function functionsOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ all: string }>(
    `select json_agg(pg_get_functiondef(oid) order by proname)::text as all from pg_proc
     where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')`,
  );
  const all = quoted((rows[0]?.all ?? '[]').replaceAll('\n', ' '));
  return `do $all$ declare f text; begin for f in select * from json_array_elements_text(${all}) loop execute f; end loop; end $all$;`;
}

/** Each after those that it refers to. */
async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; needs: string[] }>(
    `select c.relname as name, array(
       select k.confrelid::regclass::text from pg_constraint k
       where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as needs
     from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname`,
  );
  const ordered: string[] = [];
  while (ordered.length < rows.length) {
    const next = rows.find(
      ({ name, needs }) => !ordered.includes(name) && needs.every((each) => ordered.includes(each)),
    );
    if (!next) throw new Error('Tables refer to each other in a circle.');
    ordered.push(next.name);
  }
  return ordered;
}

async function rowsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ all: string | null }>(`select json_agg(t)::text as all from ${table} t`);
  const all = rows[0]?.all;
  if (!all) return [];
  // Within JSON a line only ends between values.
  const values = quoted(all.replaceAll('\n', ' '));
  return [
    `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, ${values});`,
  ];
}

async function sequencesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `select sequencename as name, last_value as last from pg_sequences where schemaname = 'public' and last_value > 0`,
  );
  return rows.map(({ name, last }) => `select setval('${name}', ${last});`);
}
