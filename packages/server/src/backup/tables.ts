import { once } from 'node:events';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { dropFunctions } from '../platform/postgres/index.ts';
import type { Manifest } from './manifest.ts';

const { escapeIdentifier } = pg;

/** Made anew by whoever migrates. */
const bookkeeping = ['schema_migrations', 'schema_functions'];
const ours = 'c.relnamespace = current_schema()::regnamespace';
const ofExtension = (catalogue: string, oid: string) =>
  `exists (select from pg_depend d where d.classid = '${catalogue}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;

export interface Table {
  name: string;
  columns: string[];
  bytes: number;
}

/** All tables but those of the migrations, with the columns that are not generated. */
export const listTables = async (client: pg.Client): Promise<Table[]> =>
  (
    await client.query<Table>(
      `select c.relname as name, pg_table_size(c.oid)::float8 as bytes, array(
         select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
       ) as columns
       from pg_class c where ${ours} and c.relkind = 'r' and c.relname <> all($1) and not ${ofExtension('pg_class', 'c.oid')}
       order by c.relname`,
      [bookkeeping],
    )
  ).rows;

/** Their values are not part of a snapshot: they are at least those that the rows of the snapshot have used. */
export async function readSequences(client: pg.Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c where ${ours} and c.relkind = 'S' order by c.relname`,
  );
  const found: Manifest['sequences'] = {};
  for (const { name } of rows) {
    const { rows: values } = await client.query<{ last: string; isCalled: boolean }>(
      `select last_value::text as last, is_called as "isCalled" from ${escapeIdentifier(name)}`,
    );
    found[name] = values[0] as { last: string; isCalled: boolean };
  }
  return found;
}

export async function setSequences(client: pg.Client, sequences: Manifest['sequences']): Promise<void> {
  for (const [name, { last, isCalled }] of Object.entries(sequences)) {
    await client.query('select setval($1::regclass, $2, $3)', [escapeIdentifier(name), last, isCalled]);
  }
}

const copied = (name: string, columns: readonly string[]) =>
  `copy ${escapeIdentifier(name)} (${columns.map((each) => escapeIdentifier(each)).join(', ')})`;

/** Memory that a part of a table takes while it is written. */
const partBytes = 4 * 1024 ** 2;

/** The rows of a table in PostgreSQL's text format, cut anywhere. */
export async function* copyOut(client: pg.Client, { name, columns }: Table): AsyncGenerator<Buffer> {
  let part: Buffer[] = [];
  let size = 0;
  for await (const chunk of client.query(to(`${copied(name, columns)} to stdout`)) as AsyncIterable<Buffer>) {
    part.push(chunk);
    size += chunk.length;
    if (size < partBytes) continue;
    yield Buffer.concat(part);
    part = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(part);
}

/** Takes the parts of one table after the other; `finish` when there are no more. */
export function copyIn(client: pg.Client, tables: Manifest['tables']) {
  let open: { name: string; stream: ReturnType<typeof from>; failed: Promise<never> } | null = null;
  const finish = async () => {
    if (open === null) return;
    const { stream, failed } = open;
    open = null;
    stream.end();
    await Promise.race([once(stream, 'finish'), failed]);
  };
  const begin = (name: string) => {
    const columns = tables[name];
    if (columns === undefined) throw new Error(`The backup has rows of "${name}", which its manifest does not name.`);
    const stream = client.query(from(`${copied(name, columns)} from stdin`));
    const failed = new Promise<never>((_, reject) => stream.once('error', reject));
    failed.catch(() => undefined);
    return { name, stream, failed };
  };
  return {
    async take(name: string, content: AsyncIterable<Buffer>) {
      if (open?.name !== name) {
        await finish();
        open = begin(name);
      }
      const { stream, failed } = open;
      for await (const chunk of content) {
        if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), failed]);
      }
    },
    finish,
  };
}

/**
 * Rows come in any order and are counted already, so foreign keys are dropped and triggers rest while they come. Rows
 * that migrations have written go. The function that is returned brings all back.
 */
export async function openForRows(client: pg.Client): Promise<() => Promise<void>> {
  const names = (await listTables(client)).map(({ name }) => escapeIdentifier(name));
  const { rows: keys } = await client.query<{ name: string; table: string; definition: string }>(
    `select k.conname as name, c.relname as table, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid where ${ours} and k.contype = 'f'`,
  );
  const alter = (table: string, change: string) => client.query(`alter table ${table} ${change}`);
  for (const key of keys) await alter(escapeIdentifier(key.table), `drop constraint ${escapeIdentifier(key.name)}`);
  for (const name of names) await alter(name, 'disable trigger user');
  await client.query(`truncate ${names.join(', ')}`);
  return async () => {
    for (const name of names) await alter(name, 'enable trigger user');
    for (const key of keys) {
      await alter(escapeIdentifier(key.table), `add constraint ${escapeIdentifier(key.name)} ${key.definition}`);
    }
  };
}

/** Whether the schema has a table, whoever's it is. */
export const hasTables = async (client: pg.Client): Promise<boolean> =>
  (await client.query(`select from pg_class c where ${ours} and c.relkind in ('r', 'p', 'v', 'm') limit 1`))
    .rowCount === 1;

/** Drops everything in the schema but extensions, and all SQL functions of Agora. */
export async function dropAll(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ command: string }>(
    `select format('drop %s if exists %s cascade',
         case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
         c.oid::regclass) as command
       from pg_class c where ${ours} and c.relkind in ('r', 'p', 'v', 'm', 'S') and not ${ofExtension('pg_class', 'c.oid')}
         -- A sequence of a column goes with its table.
         and not exists (select from pg_depend d where d.objid = c.oid and c.relkind = 'S' and d.deptype in ('a', 'i'))
     union all
     select format('drop routine if exists %s cascade', p.oid::regprocedure) from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and not ${ofExtension('pg_proc', 'p.oid')}
     union all
     select format('drop type if exists %s cascade', t.oid::regtype) from pg_type t
       where t.typnamespace = current_schema()::regnamespace and t.typtype in ('e', 'd')
         and not ${ofExtension('pg_type', 't.oid')}`,
  );
  for (const { command } of rows) await client.query(command);
  await dropFunctions(client);
}
